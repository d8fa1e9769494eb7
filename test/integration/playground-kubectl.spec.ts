import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { MachineLock } from '../fixtures/machine-lock';
import { PlaygroundProcess } from '../fixtures/playground-process';

jest.setTimeout(240_000);

const kubectl = process.env.KUBECTL ?? 'kubectl';
const isThere = spawnSync(kubectl, ['version', '--client']).status === 0;

/** The printed line as a person would type it, and whoever else knows the printed file. */
(isThere ? describe : describe.skip)(
  isThere ? 'kubectl on the playground' : 'kubectl on the playground (skipped: set KUBECTL to a kubectl)',
  () => {
    const locks: MachineLock[] = [];
    let playground: PlaygroundProcess;

    beforeAll(async () => {
      const network = await MachineLock.takeNetwork();
      locks.push(network, await MachineLock.takeRoutePorts());
      playground = PlaygroundProcess.run(['--port', String(network.playgroundPort)]);
      await playground.curlUrl();
    }, 600_000);

    afterAll(async () => {
      await playground.cleanUp();
      await Promise.all(locks.map((lock) => lock.release()));
    });

    async function run(...args: string[]): Promise<string> {
      const { stdout } = await promisify(execFile)(kubectl, args, { timeout: 30_000 });
      return stdout;
    }

    it('shows by the printed line what sleeps and what runs', async () => {
      const line = await playground.prints(/^ {2}kubectl (--kubeconfig .*)$/m);

      const shown = await run(...line.split(' '));

      for (const name of ['web', 'api', 'live']) {
        expect(shown).toMatch(new RegExp(`^demo +elastiservice\\S*/${name} `, 'm'));
        expect(shown).toMatch(new RegExp(`^demo +deployment\\.apps/${name} +0/0 `, 'm'));
      }
      expect(shown).toMatch(/^elasti +pod\/elasti-operator-controller-manager-\S+ +1\/1 +Running/m);
      expect(shown).toMatch(/^elasti +pod\/elasti-resolver-\S+ +1\/1 +Running/m);
    });

    it('reads what the operator has logged', async () => {
      const logged = await run(
        '--kubeconfig',
        await playground.kubeconfig(),
        'logs',
        '-n',
        'elasti',
        'deploy/elasti-operator-controller-manager',
      );

      expect(logged).toMatch(/\S/);
    });
  },
);
