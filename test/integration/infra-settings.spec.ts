import { exec, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KubeSim } from '@elasti/kube-sim';
import { synthesize } from '../../infra/charts/manifest.fixture';
import { settingsExample, settingsTable } from '../../infra/settings/settings-docs';
import { parseSettings, settingsFrom } from '../../infra/settings/settings';

const read = (file: string) => readFileSync(join(__dirname, '../../infra', file), 'utf8');
/** As prettier and `npm run docs:settings` may have laid it out. */
const plain = (text: string) =>
  text
    .replaceAll(/[ \t]+/g, '')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll('"', "'");

describe('what is written about the settings', () => {
  it("has the README's table from the classes that check them (npm run docs:settings)", () => {
    expect(plain(read('README.md'))).toContain(plain(settingsTable()));
  });

  it('has every setting in the file of defaults (npm run docs:settings)', () => {
    const written = plain(read('elasti.settings.yaml')).split('\n');

    expect(
      plain(settingsExample())
        .split('\n')
        .filter((line) => !written.includes(line)),
    ).toEqual([]);
  });

  it('has a file of defaults that changes nothing', () => {
    expect(parseSettings({ name: 'elasti.settings.yaml', text: read('elasti.settings.yaml') })).toEqual(settingsFrom());
  });
});

// Each case starts kubectl several times.
jest.setTimeout(60_000);

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

(hasKubectl ? describe : describe.skip)('the commands of the README, with the kubectl of this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'elasti-readme-'));
  const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), KUBECACHEDIR: join(folder, 'cache') };
  const run = async (command: string) => (await promisify(exec)(`set -e\n${command}`, { env })).stdout.trim();
  /** Of a section, each line that a command begins or goes on with. */
  const commandsOf = (section: string) => {
    const [, text = ''] = read('README.md').split(`\n## ${section}\n`);
    return (/^[^]*?(?=\n## )/.exec(text)?.[0] ?? '').split('\n').filter((line) => /^ {4}/.test(line));
  };
  const apply = async (settings?: object) => {
    const items = synthesize(settings).filter(({ kind }) => ['Namespace', 'Deployment'].includes(kind));
    const file = join(folder, 'applied.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await run(`kubectl apply --validate=false -f ${file}`);
  };
  const resolver = (path: string) => run(`kubectl get deployment elasti-resolver -n elasti -o jsonpath='{${path}}'`);
  let sim: KubeSim;

  beforeEach(async () => {
    sim = await KubeSim.start({ tls: 'self-signed' });
    writeFileSync(env.KUBECONFIG, sim.kubeconfig());
  });

  afterEach(() => sim.stop());

  afterAll(() => rmSync(folder, { recursive: true }));

  it('keep the number of resolvers when the autoscaler is turned on, which is one without them', async () => {
    const autoscaled = { resolver: { autoscaling: { enabled: true } } };
    const [command = ''] = commandsOf('The number of resolvers').filter((line) => line.includes('edit-last-applied'));
    await apply({ resolver: { replicas: 5 } });

    await run(command);
    await apply(autoscaled);
    const kept = await resolver('.spec.replicas');
    await apply({ resolver: { replicas: 5 } });
    await apply(autoscaled);

    expect([kept, await resolver('.spec.replicas')]).toEqual(['5', '1']);
  });

  it('lift the processor limits of KubeElasti, where it has any', async () => {
    const commands = commandsOf('Moving over from KubeElasti').filter((line) => line.includes('limits'));
    const limits = () =>
      run(`kubectl get deployments -n elasti -o jsonpath='{.items[*].spec.template.spec.containers[*].resources.limits}'`);
    await apply();
    const before = await limits();

    await run(commands.join('\n'));
    const without = await limits();
    await run('kubectl set resources deployment --all -n elasti --limits=cpu=200m');
    const limited = await limits();
    await run(commands.join('\n'));

    expect(commands).toHaveLength(2);
    expect(limited).toContain('"cpu":"200m"');
    expect([without, await limits()]).toEqual([before, before]);
  });
});
