import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { defaultTimeoutSeconds, type Manifest, readInstalled } from './uninstall/installed-objects';
import { installedKubectl } from './uninstall/kubectl';
import { KubectlCluster } from './uninstall/kubectl-cluster';
import { Uninstaller } from './uninstall/uninstaller';

const synthesized = join(__dirname, '../manifests/elasti');
const usage = `npm run uninstall -- [options]
  -f, --filename PATH  a manifest that was applied, or a folder of them; may be repeated. Default: infra/manifests/elasti
  --context NAME       of the kubeconfig, which is that of KUBECONFIG or kubectl's own
  --timeout SECONDS    how long targets may take to come back, and then the pods of Elasti to leave.
                       Default: the longest grace of those pods and a minute, at least 720
  --dry-run            only says what would be deleted
`;

/** Run by `npm run uninstall`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      filename: { type: 'string', short: 'f', multiple: true, default: [synthesized] },
      context: { type: 'string' },
      timeout: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  if (values.help) {
    say(usage);
    return;
  }
  const askedSeconds = values.timeout === undefined ? undefined : Number(values.timeout);
  if (askedSeconds !== undefined && !(askedSeconds > 0)) throw new Error(`--timeout must be a number of seconds, not ${values.timeout}`);

  const installed = readInstalled(values.filename.flatMap(manifestsOf));
  const timeoutSeconds = askedSeconds ?? defaultTimeoutSeconds(installed);
  const cluster = new KubectlCluster(installedKubectl(values.context === undefined ? [] : ['--context', values.context]));
  const pauses = { now: () => performance.now(), pause: (delayMs: number) => sleep(delayMs) };
  await new Uninstaller(cluster, pauses, say).uninstall(installed, { timeoutSeconds, mode: values['dry-run'] ? 'dry run' : 'for real' });
}

function manifestsOf(path: string): Manifest[] {
  if (!existsSync(path))
    throw new Error(`there is no ${path}: run npm run synth with the settings of the installation, or name its manifests with -f`);
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((file) => file.endsWith('.yaml'))
        .sort()
        .map((file) => join(path, file))
    : [path];
  return files.flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => (document.toJS() as Manifest | null) ?? []),
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
