import { runUntilSignal, systemClock } from '@elasti/operator-kit';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OptionsError, parseOptions, type PlaygroundOptions, usage } from './options';
import { runOnCluster } from './run-on-cluster';
import { runSimulator } from './run-simulator';
import { PlaygroundError } from './system';
import { PlainView, TerminalView } from './view';

const root = join(__dirname, '../../..');

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.platform);
  if (options.on === 'paper') return void process.stdout.write(`${usage}\n`);
  const folder = process.env.ELASTI_PLAYGROUND_FOLDER ?? (await mkdtemp(join(tmpdir(), 'elasti-playground-')));
  try {
    await runUntilSignal(process, (signal) => run(options, folder, AbortSignal.any([signal, launcherGone()])));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(options: Exclude<PlaygroundOptions, { on: 'paper' }>, folder: string, signal: AbortSignal): Promise<void> {
  const { stdout } = process;
  const view = stdout.isTTY ? new TerminalView(stdout, () => systemClock.now()) : new PlainView(stdout);
  const place = { root, folder, clock: systemClock, view };
  try {
    await (options.on === 'simulator' ? runSimulator(options, place, signal) : runOnCluster(options, place, signal));
  } finally {
    view.close();
  }
}

/** Fires when the process that started this one is no more. */
function launcherGone(): AbortSignal {
  const gone = new AbortController();
  process.once('disconnect', () => gone.abort());
  return gone.signal;
}

main()
  .catch((error: unknown) => {
    const isForPeople = error instanceof PlaygroundError || error instanceof OptionsError;
    process.stderr.write(`${isForPeople ? error.message : String((error as Error).stack)}\n`);
    process.exitCode = 1;
  })
  // Whoever listens for the launcher's end would wait for it.
  .finally(() => process.channel?.unref());
