import { type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { type Readable } from 'node:stream';

/** How long output may stay open after the group was killed: somebody who left the group has it then. */
const LAST_OUTPUT_MS = 1000;

/** One process that leads a group. When it ends, whatever else is in its group is killed. */
export class GuardedProcess {
  readonly pid: number;
  /** The exit code as shells tell it, 128 and the signal's number after a signal; fulfilled once the group is gone and all output was read. */
  readonly ended: Promise<number>;

  constructor(private readonly child: ChildProcess) {
    this.pid = child.pid ?? 0;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.signalGroup('SIGKILL');
        const timer = setTimeout(() => {
          for (const stream of this.outputs) stream.destroy();
        }, LAST_OUTPUT_MS);
        child.once('close', () => {
          clearTimeout(timer);
          resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
        });
      });
    });
  }

  get outputs(): readonly Readable[] {
    return [this.child.stdout, this.child.stderr].filter((stream) => stream !== null);
  }

  /** Asks the process itself to end, and only it, as container runtimes do. */
  terminate(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.child.kill(signal);
  }

  /** Ends the whole group at once. */
  kill(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) this.signalGroup('SIGKILL');
  }

  private signalGroup(signal: NodeJS.Signals): void {
    if (this.pid === 0) return;
    try {
      process.kill(-this.pid, signal);
    } catch {
      // Nobody is left in it.
    }
  }
}
