import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { GuardedProcess } from './guarded-process';

export interface ProcessPlace {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * Learns the process groups by their lines and kills them when there is nobody left to write: a parent that was killed
 * cannot do it. It must outlive that parent, so what a terminal sends to all does not end it.
 */
const KEEPER = `
trap '' HUP INT QUIT TERM
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
`;

/** Names itself to the keeper and only then becomes the command: at no moment is there a process that nobody knows of. */
const STARTER = 'echo "+ $$" >&3 && exec "$@" 3>&-';

/**
 * Starts processes that do not outlive this one, however it ends.
 *
 * Each is the leader of a group of its own. One small keeper process for all of them reads a pipe whose other end is
 * here; when that closes, it kills the groups that are left. A keeper that was ended has a successor at once. Processes that leave
 * their group are not followed.
 */
export class ProcessGuardian {
  private keeper?: ChildProcess;
  private readonly processes = new Set<GuardedProcess>();
  private isClosed = false;

  /** Fulfilled when the process exists. @throws Error when it cannot be started; a command that is not found exits with 127. */
  async spawn(command: readonly string[], { env, cwd }: ProcessPlace): Promise<GuardedProcess> {
    if (this.isClosed) throw new Error('the runtime is closed');
    const keeper = this.keeperAlive();
    const child = spawn('/bin/sh', ['-c', STARTER, 'kube-sim', ...command], {
      detached: true,
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe', keeper.stdin],
    });
    const guarded = new GuardedProcess(child);
    await once(child, 'spawn').catch((error: unknown) => {
      throw new Error(`cannot start a process in ${cwd}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
    this.processes.add(guarded);
    // It has named itself to a keeper that was ended meanwhile.
    if (keeper !== this.keeper) this.tellKeeper('+', guarded);
    void guarded.ended.then(() => {
      this.processes.delete(guarded);
      this.tellKeeper('-', guarded);
    });
    return guarded;
  }

  /** Kills what is left. Fulfilled when no process is. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(
      [...this.processes].map((guarded) => {
        guarded.kill();
        return guarded.ended;
      }),
    );
    const { keeper } = this;
    if (!keeper || !isAlive(keeper)) return;
    const ended = once(keeper, 'exit');
    keeper.stdin?.end();
    await ended;
  }

  /** Always the one of now: a group that an earlier keeper was told of is as well known to this one. */
  private tellKeeper(change: '+' | '-', { pid }: GuardedProcess): void {
    const stdin = this.keeper?.stdin;
    if (stdin?.writable) stdin.write(`${change} ${pid}\n`);
  }

  /** Somebody may have ended the keeper: then its successor learns of all that runs. */
  private keeperAlive(): ChildProcess {
    const known = this.keeper;
    if (known && isAlive(known)) return known;
    const keeper = spawn('/bin/sh', ['-c', KEEPER, 'kube-sim-keeper'], { detached: true, env: {}, stdio: ['pipe', 'ignore', 'ignore'] });
    // A write after its end is nobody's harm: its successor learns of everything.
    keeper.stdin.on('error', () => undefined);
    keeper.on('error', () => undefined);
    keeper.once('exit', () => {
      if (!this.isClosed) this.keeperAlive();
    });
    this.keeper = keeper;
    for (const guarded of this.processes) this.tellKeeper('+', guarded);
    return keeper;
  }
}

const isAlive = ({ pid, exitCode, signalCode }: ChildProcess): boolean => pid !== undefined && exitCode === null && signalCode === null;
