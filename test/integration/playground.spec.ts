import { ElastiService } from '@elasti/api';
import { Deployment, KubeClient, Pod } from '@elasti/operator-kit';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually';
import { MachineLock } from '../fixtures/machine-lock';
import { nothingLeft, PlaygroundProcess } from '../fixtures/playground-process';

jest.setTimeout(240_000);

/** The one sentence that follows the build. */
const saysTaken = (address: string, advice: string) =>
  new RegExp(`^Starting \\.\\.\\.\nPort ${address}, [^\\n]* is taken, [^\\n]*${advice}[^\\n]*\n$`, 'm');

describe('npm start', () => {
  const running: PlaygroundProcess[] = [];
  const locks: MachineLock[] = [];
  /** Not of this machine's playground, if it runs one, and not of another run of these tests. */
  let port: number;

  beforeAll(async () => {
    const network = await MachineLock.takeNetwork();
    locks.push(network, await MachineLock.takeRoutePorts());
    port = network.playgroundPort;
  }, 600_000);

  afterAll(() => Promise.all(locks.map((lock) => lock.release())));

  function start(...args: string[]): PlaygroundProcess {
    const playground = PlaygroundProcess.run(args);
    running.push(playground);
    return playground;
  }

  async function addressesOf(playground: PlaygroundProcess): Promise<string[]> {
    const [curl, api] = [await playground.curlUrl(), await playground.prints(/at (http:\/\/[\d.:]+\d)/)];
    return [curl, api].map((url) => new URL(url).host);
  }

  afterEach(async () => {
    await Promise.all(running.splice(0).map((playground) => playground.cleanUp()));
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

  it('survives the end of the operator', async () => {
    const first = start('--port', String(port));
    const url = await first.curlUrl();
    const operator = first.processes().find(({ command }) => command.includes('operator/dist/main'));
    process.kill(operator?.pid ?? 0, 'SIGKILL');
    await first.prints(/(operator +its process has ended and is started again)/);

    expect((await fetch(url)).status).toBe(200);
  });

  it.each(['the simulator', 'the launcher'])('leaves nothing behind when %s is killed', async (who) => {
    const playground = start('--port', String(port));
    const addresses = await addressesOf(playground);
    const kubeconfig = await playground.kubeconfig();
    const processes = playground.processes();
    const main = processes.find(({ command }) => command.includes('playground/dist/main'));

    if (who === 'the launcher') playground.kill('SIGKILL');
    else process.kill(main?.pid ?? 0, 'SIGKILL');

    await nothingLeft(processes, addresses, kubeconfig);
  });

  it('asks for a newer Node in one sentence, before it loads anything that an old one cannot read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'elasti-old-node-'));
    const preload = join(folder, 'old.cjs');
    await writeFile(preload, "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } });");

    const playground = PlaygroundProcess.run([], ['--require', preload]);
    const code = await playground.ended();
    await rm(folder, { recursive: true });

    expect(code).toBe(1);
    expect(playground.text).toBe('Node 18.20.0 is too old: run `npm ci`, which installs Node 24 for this project, and then `npm start`.\n');
  });

  it('wakes a service of another cluster through the local resolver, with --kubeconfig', async () => {
    const cluster = start('--port', String(port));
    await cluster.curlUrl();
    const kubeconfig = await cluster.kubeconfig();
    const client = await KubeClient.fromKubeConfig({ path: kubeconfig });
    // As in a cluster without Elasti inside. The operator has to give up its lease, the resolver need not wait for anybody.
    for (const name of ['elasti-operator-controller-manager', 'elasti-resolver'])
      await client.delete(Deployment, { namespace: 'elasti', name });
    await client.deleteAll(Pod, { namespace: 'elasti', labelSelector: 'app=elasti-resolver', gracePeriodSeconds: 0 });
    await eventually('Elasti is gone', async () =>
      (await client.list(Pod, { namespace: 'elasti' })).items.length === 0 ? true : undefined,
    );

    const outside = start('--port', String(port + 5), '--kubeconfig', kubeconfig, '--context', 'kube-sim');
    const shared = await outside.prints(/curl -H 'Host: SERVICE\.NAMESPACE' (http:\S+)/);
    const answer = await fetch(shared, { headers: { 'X-Envoy-Decorator-Operation': 'web.demo' } });

    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('pod web-');
    expect((await client.get(ElastiService, { namespace: 'demo', name: 'web' })).status?.lastScaledUpTime).toBeDefined();
    await client.close();
  });
});
