import { ElastiService } from '@elasti/api';
import { Deployment, KubeClient, Lease, Pod } from '@elasti/operator-kit';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '../eventually';
import { MachineLock } from '../fixtures/machine-lock';
import { nothingLeft, PlaygroundProcess } from '../fixtures/playground-process';
import { ask } from '../fixtures/story-world/clients';

jest.setTimeout(240_000);

/** The one sentence that follows the build. */
const saysTaken = (address: string, advice: string) =>
  new RegExp(`^Starting \\.\\.\\.\nPort ${address}, [^\\n]* is taken, [^\\n]*${advice}[^\\n]*\n$`, 'm');

describe('npm start', () => {
  const running: PlaygroundProcess[] = [];
  const folders: string[] = [];
  const locks: MachineLock[] = [];
  /** Not of this machine's playground, if it runs one, and not of another run of these tests. */
  let port: number;
  let secondPort: number;

  beforeAll(async () => {
    const [network, second] = [await MachineLock.takeNetwork(), await MachineLock.takeNetwork()];
    locks.push(network, second, await MachineLock.takeRoutePorts());
    port = network.playgroundPort;
    secondPort = second.playgroundPort;
  }, 600_000);

  afterAll(() => Promise.all(locks.map((lock) => lock.release())));

  function start(...args: string[]): PlaygroundProcess {
    return startWith({}, ...args);
  }

  function startWith(env: Record<string, string>, ...args: string[]): PlaygroundProcess {
    const playground = PlaygroundProcess.run(args, { env });
    running.push(playground);
    return playground;
  }

  async function addressesOf(playground: PlaygroundProcess): Promise<string[]> {
    const [curl, api] = [await playground.curlUrl(), await playground.prints(/at (http:\/\/[\d.:]+\d)/)];
    return [curl, api].map((url) => new URL(url).host);
  }

  async function writePreload(script: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'elasti-preload-'));
    folders.push(folder);
    const path = join(folder, 'preload.cjs');
    await writeFile(path, script);
    return path;
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map((playground) => playground.cleanUp()));
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
  });

  it.each([
    ['SIGINT', 'addresses'],
    ['SIGTERM', 'ports'],
  ] as const)(
    'answers the printed curl line, and leaves nothing behind after %s, with pods that have %s of their own',
    async (signal, network) => {
      const playground = start('--port', String(port), '--network', network);
      const url = await playground.curlUrl();
      const kubeconfig = await playground.kubeconfig();
      const addresses = await addressesOf(playground);

      const answer = await fetch(url);
      const news = await playground.prints(/^\S+ +web +(awake after .*)$/m);
      const processes = playground.processes();
      playground.kill(signal);

      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('pod web-');
      expect(news).toMatch(/^awake after .*: asked .*, started .*, ready .*/);
      expect(playground.text).toMatch(/SIMULATOR, not on a cluster/);
      const commands = processes.map(({ command }) => command).join('\n');
      for (const program of ['operator/dist/main', 'resolver/dist/main', 'services/web']) expect(commands).toContain(program);
      expect(await playground.ended()).toBe(0);
      await nothingLeft(processes, addresses, kubeconfig);
    },
  );

  it('leaves nothing behind either when it is npm that is told to end', async () => {
    const playground = PlaygroundProcess.runByNpm(['--port', String(port)]);
    running.push(playground);
    await playground.curlUrl();
    const kubeconfig = await playground.kubeconfig();
    const addresses = await addressesOf(playground);
    const processes = playground.processes();

    playground.kill('SIGTERM');

    await playground.ended();
    await nothingLeft(processes, addresses, kubeconfig);
  });

  it('says which port is taken when it is started twice, or on another port with the same addresses', async () => {
    const first = start('--port', String(port));
    await first.curlUrl();
    const [second, congruent] = [start('--port', String(port)), start('--port', String(port + 32))];
    const other = process.platform === 'darwin' ? ['127.0.0.1:20000', ''] : [String.raw`127\.\d+\.0\.10:8013`, 'npm start -- --port'];

    expect([await second.ended(), await congruent.ended()]).toEqual([1, 1]);
    expect(second.text).toMatch(saysTaken(`127.0.0.1:${port}`, 'npm start -- --port'));
    expect(congruent.text).toMatch(saysTaken(...(other as [string, string])));
  });

  it("says that a port of the resolver's routes is taken", async () => {
    const somebody = createServer().listen(20_001, '127.0.0.1');
    await once(somebody, 'listening');

    const playground = start('--port', String(port), '--network', 'ports');
    const code = await playground.ended();
    somebody.close();

    expect(code).toBe(1);
    expect(playground.text).toMatch(saysTaken('127.0.0.1:20001', 'stop whoever has it'));
  });

  it.each(['addresses', 'ports'] as const)('wakes each of the three services, with pods that have %s of their own', async (network) => {
    const playground = start('--port', String(port), '--network', network);
    await playground.curlUrl();
    const [web, api, live] = [await playground.addressOf('web'), await playground.addressOf('api'), await playground.addressOf('live')];

    const answers = await Promise.all([ask.http(web, 'x'), ask.http(api, 'x'), ask.websocket(live, 'morning'), firstEvent(live)]);

    expect(answers[0]).toContain('This page comes from the pod web-');
    expect(JSON.parse(answers[1])).toMatchObject({ pod: expect.stringMatching(/^api-/) as string, method: 'GET', path: '/?word=x' });
    expect(answers[2]).toMatch(/^live-\S+: morning$/);
    expect(answers[3]).toMatch(/^data: live-\S+ tells the time every second\n\n/);
  });

  it('survives the end of the operator and of the resolver, and leaves nothing of their successors behind', async () => {
    const playground = start('--port', String(port));
    const [url, kubeconfig, addresses] = [await playground.curlUrl(), await playground.kubeconfig(), await addressesOf(playground)];
    const processOf = (program: string) => playground.processes().find(({ command }) => command.includes(`${program}/dist/main`))?.pid;

    const replace = async (program: string) => {
      const former = processOf(program) ?? 0;
      process.kill(former, 'SIGKILL');
      await playground.prints(new RegExp(`(${program} +its process has ended and is started again)`));
      await eventually(`another ${program}`, async () => ![undefined, former].includes(processOf(program)) || undefined);
    };
    await replace('resolver');
    // Until another is ready nobody is there who could hold a request.
    await eventually('a resolver', async () => ask.http(await playground.addressOf('live'), 'x'));
    await replace('operator');
    const answer = await fetch(url);
    const processes = playground.processes();
    playground.kill('SIGINT');

    expect(answer.status).toBe(200);
    expect(await playground.ended()).toBe(0);
    await nothingLeft(processes, addresses, kubeconfig);
  });

  it.each(['the simulator', 'the launcher', 'the keeper, and then the simulator,'])(
    'leaves nothing behind when %s is killed',
    async (who) => {
      const playground = start('--port', String(port));
      const addresses = await addressesOf(playground);
      const kubeconfig = await playground.kubeconfig();
      const processOf = (part: string) => playground.processes().find(({ command }) => command.includes(part))?.pid;
      const former = processOf('kube-sim-keeper');

      if (who.startsWith('the keeper')) {
        process.kill(former ?? 0, 'SIGKILL');
        await eventually('another keeper', async () => ![undefined, former].includes(processOf('kube-sim-keeper')) || undefined);
      }
      const processes = playground.processes();
      if (who === 'the launcher') playground.kill('SIGKILL');
      else process.kill(processOf('playground/dist/main') ?? 0, 'SIGKILL');

      await nothingLeft(processes, addresses, kubeconfig);
    },
  );

  it('asks for a newer Node in one sentence, before it loads anything that an old one cannot read', async () => {
    const preload = await writePreload("Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } });");

    const playground = PlaygroundProcess.run([], { nodeOptions: ['--require', preload] });

    expect(await playground.ended()).toBe(1);
    expect(playground.text).toBe('Node 18.20.0 is too old: run `npm ci`, which installs Node 24 for this project, and then `npm start`.\n');
  });

  it('hears that the terminal has another size, though it is in a session of its own', async () => {
    const preload = await writePreload("process.on('SIGWINCH', () => console.log('another size for', process.argv[1]));");
    const playground = startWith({ NODE_OPTIONS: `--require ${preload}` }, '--port', String(port));
    await playground.curlUrl();

    playground.kill('SIGWINCH');

    expect(await playground.prints(/another size for (.*playground\/dist\/main)/)).toBeTruthy();
  });

  it('wakes a service of another cluster through the local resolver, with --kubeconfig, and gives its Lease back', async () => {
    const cluster = start('--port', String(port));
    await cluster.curlUrl();
    const kubeconfig = await twoContexts(await cluster.kubeconfig());
    const client = await KubeClient.fromKubeConfig({ path: kubeconfig, context: 'kube-sim' });
    // As in a cluster without Elasti inside. The operator has to give up its lease, the resolver need not wait for anybody.
    for (const name of ['elasti-operator-controller-manager', 'elasti-resolver'])
      await client.delete(Deployment, { namespace: 'elasti', name });
    await client.deleteAll(Pod, { namespace: 'elasti', labelSelector: 'app=elasti-resolver', gracePeriodSeconds: 0 });
    await eventually('Elasti is gone', async () =>
      (await client.list(Pod, { namespace: 'elasti' })).items.length === 0 ? true : undefined,
    );
    const web = { namespace: 'demo', name: 'web' };
    const holders = async () => (await client.list(Lease, { namespace: 'elasti' })).items.map(({ spec }) => spec?.holderIdentity ?? '');

    // Otherwise the operator would bring the service back by itself, and this would pass without a wake.
    const patience = { ELASTI_RESOLVER_ABSENCE: '1h' };
    const outside = startWith(patience, '--port', String(secondPort), '--kubeconfig', kubeconfig, '--context', 'kube-sim');
    const shared = await outside.prints(/curl -H 'Host: SERVICE\.NAMESPACE' (http:\S+)/);
    const before = await client.get(ElastiService, web);
    const answer = await ask.http(new URL(shared).host, 'x', 'web.demo');
    const after = await client.get(ElastiService, web);
    const leading = await holders();
    outside.kill('SIGINT');

    expect(answer).toContain('pod web-');
    expect(after.status?.lastScaledUpTime).not.toBe(before.status?.lastScaledUpTime);
    expect(outside.text).toContain('brings every sleeping target back by itself, 1h after');
    expect(await outside.ended()).toBe(0);
    expect([leading, await holders()]).toEqual([[expect.stringMatching(/./)], ['']]);
    await client.close();
  });
});

/** The file with a second context, of a cluster that does not answer, which is the current one. */
async function twoContexts(kubeconfig: string): Promise<string> {
  const text = await readFile(kubeconfig, 'utf8');
  const path = join(dirname(kubeconfig), 'two-contexts');
  await writeFile(
    path,
    text
      .replace('current-context: kube-sim', 'current-context: nowhere')
      .replace('clusters:\n', 'clusters:\n  - name: nowhere\n    cluster: { server: "http://127.0.0.1:1" }\n')
      .replace('contexts:\n', 'contexts:\n  - name: nowhere\n    context: { cluster: nowhere, user: kube-sim }\n'),
  );
  return path;
}

/** The first chunk of the stream, which is then broken off. */
async function firstEvent(address: string): Promise<string> {
  const stop = new AbortController();
  const { body } = await fetch(`http://${address}/events`, { signal: stop.signal });
  const { value } = (await body?.getReader().read()) ?? {};
  stop.abort();
  return Buffer.from(value ?? []).toString();
}
