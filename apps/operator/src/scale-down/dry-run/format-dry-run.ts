import type { DryRunStatus } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import { DryRunAccount } from './dry-run-account';

const hourS = 3_600;
const dayS = 24 * hourS;

/** For people: `would have slept 61 h in 7 days, woken 9 times`. */
export function formatDryRun(status: Frozen<DryRunStatus>, nowMs: number): string {
  const account = DryRunAccount.fromStatus(status);
  if (!account) return 'the account of the dry run cannot be read, and begins anew';

  const elapsedS = account.elapsedSecondsAt(nowMs);
  const sleptS = account.sleptSecondsAt(nowMs);
  return `would have slept ${formatSlept(sleptS)} in ${formatElapsed(elapsedS)}, ${formatWakes(account.wakeCount)}`;
}

/** Cut off, and the time it is compared with rounded up: it must not promise more than there was. */
function formatSlept(seconds: number): string {
  return seconds < 2 * hourS ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / hourS)} h`;
}

function formatElapsed(seconds: number): string {
  if (seconds < 2 * hourS) return `${Math.ceil(seconds / 60)} min`;
  return seconds < 2 * dayS ? `${Math.ceil(seconds / hourS)} h` : `${Math.ceil(seconds / dayS)} days`;
}

function formatWakes(wakes: number): string {
  return wakes === 0 ? 'never woken' : wakes === 1 ? 'woken once' : `woken ${wakes} times`;
}
