// The real application in front of a kube-sim, as the benches and the soak run it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { resolverNodeFlags } from '../../../infra/dist/charts/node-flags.js';
import { namespace } from './objects.mjs';
import { cores, start, startTalking, stop } from './processes.mjs';

const root = join(import.meta.dirname, '../../..');
const program = join(root, 'infra/dist/images/resolver/app/main.js');

/** `services` maps names to ports: `{ name, port, resolverPort, podPort }`. */
export async function startWorld(services, folder) {
  const world = await startTalking(cores.load, process.execPath, [join(import.meta.dirname, 'server.mjs'), JSON.stringify(services)], {
    cwd: root,
  });
  const { kubeconfig: text, operatorPort } = await world.next();
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, text);
  const setPods = (service, addresses) => world.order(`pods ${service} ${addresses.join(',')}`);
  return { ...world, kubeconfig, operatorPort, setPods };
}

/** `inside` loads a small watcher into the process, which tells about its event loop, heap and timers when asked. */
export async function startResolver(world, { internalPort, proxyPort, inside = false, env = {} }) {
  if (!existsSync(program)) throw new Error('the resolver is not staged: npm run images');
  const preload = inside ? ['--expose-gc', '--import', join(import.meta.dirname, 'inside.mjs')] : [];
  const resolver = start(cores.proxy, process.execPath, [...resolverNodeFlags, ...preload, program], {
    ipc: inside,
    cwd: root,
    env: {
      KUBECONFIG: world.kubeconfig,
      ELASTI_RESOLVER_PORT: String(internalPort),
      ELASTI_RESOLVER_PROXY_PORT: String(proxyPort),
      ELASTI_OPERATOR_PORT: String(world.operatorPort),
      // Nothing here takes time to hear that it stops.
      ELASTI_SETTLE_TIME: '100ms',
      ELASTI_POD_IP: '127.0.0.1',
      ...env,
    },
  });
  const log = { errors: 0, warnings: 0, samples: [] };
  resolver.child.stdout.on('data', (chunk) => note(log, String(chunk)));
  /** Requests and connections that the resolver itself counts as open, held ones included. */
  const openOf = async (service) => {
    const answer = await fetch(`http://127.0.0.1:${internalPort}/activity?namespace=${namespace}&service=${service}`);
    const { services } = await answer.json();
    return services.reduce((sum, { open }) => sum + open, 0);
  };
  const ask = (question) =>
    new Promise((resolve) => {
      resolver.child.once('message', resolve);
      resolver.child.send(question);
    });
  const isReady = async () => (await fetch(`http://127.0.0.1:${internalPort}/readyz`).catch(() => undefined))?.ok;
  await until(isReady, `the resolver did not become ready: ${resolver.errors()}`);
  return { ...resolver, log, openOf, ask, stop: () => stop(resolver) };
}

/** Waits for a condition; a bench must not hang. */
export async function until(condition, problem, { everyMs = 50, withinMs = 60_000 } = {}) {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (await condition()) return;
    await wait(everyMs);
  }
  throw new Error(problem);
}

function note(log, text) {
  for (const line of text.split('\n')) {
    if (line.includes('"level":"error"')) log.errors += 1;
    else if (line.includes('"level":"warn"')) log.warnings += 1;
    else continue;
    if (log.samples.length < 10) log.samples.push(line.slice(0, 400));
  }
}
