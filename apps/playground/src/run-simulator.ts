import { type Clock, untilAborted, withTimeout } from '@elasti/operator-kit';
import { buildDemo, demoNamespace, demoServices, installationNamespace, planNetwork, resolverServiceName } from './manifests';
import type { SimulatorOptions } from './options';
import type { PlaygroundPlace } from './playground-place';
import { DemoWatch, type News, readFigures, type ResolverFigures } from './sights';
import { listNeededPorts } from './needed-ports';
import { assertFree, InstalledSimulator, LastWords, PlaygroundError } from './system';
import { formatWake, type View } from './view';
import { formatWelcome } from './welcome';

/** Far more than it takes; a slow machine is no reason to give up. */
const readyWithinMs = 90_000;

/**
 * The whole of it on the simulator, until the signal fires. Nothing is left of it then.
 *
 * @throws PlaygroundError
 */
export async function runSimulator(options: SimulatorOptions, place: PlaygroundPlace, signal: AbortSignal): Promise<void> {
  const { root, folder, clock, view } = place;
  const { port, network, logs } = options;
  const plan = planNetwork(port, network);
  await assertFree(listNeededPorts(options, plan));
  const lastWords = new LastWords();
  const simulator = await InstalledSimulator.start({
    root,
    folder,
    port,
    network,
    plan,
    onOutput: (pod, line) => {
      lastWords.add(`${pod}: ${line}`);
      if (logs === 'shown') view.say(`${pod}: ${line}`);
    },
    onRefused: (message) => view.say(message),
  });
  try {
    await simulator.add(buildDemo(root, plan));
    await showUntilStopped(simulator, { clock, view, lastWords }, signal);
  } finally {
    await simulator.stop();
  }
}

interface Showing {
  readonly clock: Clock;
  readonly view: View;
  readonly lastWords: LastWords;
}

async function showUntilStopped(simulator: InstalledSimulator, { clock, view, lastWords }: Showing, signal: AbortSignal): Promise<void> {
  const ready = Promise.withResolvers<undefined>();
  let stage: 'starting' | 'shown' = 'starting';
  const urls = new Map(demoServices.map(({ name }) => [name, `http://${simulator.addressOf(demoNamespace, name) ?? 'nowhere'}`]));
  const watch = new DemoWatch({
    reader: simulator.client,
    clock,
    services: [...urls].map(([name, url]) => ({ name, url })),
    askResolver: (stopping) => askResolver(simulator, stopping),
    onChange: (sights) => {
      if (stage === 'shown') view.show(sights);
      else if (watch.isAsleep) ready.resolve(undefined);
    },
    onNews: (service, news) => {
      if (stage === 'shown') view.say(formatNews(clock.now(), service, news));
    },
  });
  watch.start();
  try {
    const reason = () =>
      new PlaygroundError(`Operator and resolver were not ready within ${readyWithinMs / 1_000} s. Their last words:\n${lastWords.text}`);
    await withTimeout({ clock, timeoutMs: readyWithinMs, reason, signal }, (limited) => untilAborted(ready.promise, limited));
    view.say(formatWelcome({ apiUrl: simulator.apiUrl, kubeconfig: simulator.kubeconfig, urls }));
    stage = 'shown';
    view.show(watch.sights());
    await untilAborted(new Promise<never>(() => undefined), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await watch.stop();
  }
}

async function askResolver(simulator: InstalledSimulator, signal: AbortSignal): Promise<Map<string, ResolverFigures>> {
  const address = simulator.addressOf(installationNamespace, resolverServiceName, 'http-resolver') ?? 'nowhere';
  const answer = await fetch(`http://${address}/metrics`, { signal });
  return readFigures(await answer.text(), demoNamespace);
}

function formatNews(nowMs: number, service: string, news: News): string {
  const time = new Date(nowMs).toTimeString().slice(0, 8);
  return `${time}  ${service.padEnd(8)} ${describe(news)}`;
}

function describe(news: News): string {
  switch (news.kind) {
    case 'held':
      return news.count === 1 ? 'a request is held' : `${news.count} requests are held`;
    case 'awake':
      return `awake after ${formatWake(news.wake)}`;
    case 'event':
      return news.note;
    case 'restarted':
      return 'its process has ended and is started again';
  }
}
