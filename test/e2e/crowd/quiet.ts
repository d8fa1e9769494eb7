import { type KubeClient, Lease } from '@elasti/operator-kit';
import { leaseName } from '../../../apps/operator/src/names';
import { type AuditedCall, callsOf } from '../operator/audit-log';
import { installed, operatorName, resolverName } from '../resolver/installation';

const accounts = [operatorName, resolverName].map((name) => `system:serviceaccount:${installed}:${name}`);

/** Waits until the leader has renewed its lease so many times: the one thing that goes on while nothing happens. */
export async function leaseRenewed(client: KubeClient, times: number, signal: AbortSignal): Promise<void> {
  const fieldSelector = `metadata.name=${leaseName}`;
  let renewals = 0;
  while (renewals < times) {
    for await (const { type } of client.watch(Lease, { namespace: installed, fieldSelector, signal, resourceVersion: '0' })) {
      if (type === 'MODIFIED') renewals += 1;
      if (renewals === times) break;
    }
  }
}

interface QuietCalls {
  /** Watches that were begun anew. */
  readonly watches: readonly string[];
  readonly others: readonly string[];
}

/** What operators and resolvers asked of the API server while the lease was renewed so many times, apart from the lease. */
async function callsDuring(client: KubeClient, renewals: number, signal: AbortSignal): Promise<QuietCalls> {
  const since = new Date();
  await leaseRenewed(client, renewals, signal);
  const calls = (await Promise.all(accounts.map((account) => callsOf(account, since, 'may-be-none')))).flat();
  const texts = (some: readonly AuditedCall[]) => some.map(({ verb, uri }) => `${verb} ${uri}`);
  return {
    watches: texts(calls.filter(({ verb, state }) => verb === 'watch' && state === 'begun')),
    others: texts(calls.filter(({ verb, resource }) => verb !== 'watch' && resource !== 'leases')),
  };
}

/**
 * What was asked in the first stretch of so many renewals in which nobody asked for anything, or, when there was none before the signal, in the last:
 * whoever asks for something now and then is found out by a stretch that is longer than the time in between.
 */
export async function quietCalls(client: KubeClient, renewals: number, signal: AbortSignal): Promise<QuietCalls> {
  let last: QuietCalls | undefined;
  for (;;) {
    try {
      last = await callsDuring(client, renewals, signal);
    } catch (error) {
      if (signal.aborted && last) return last;
      throw error;
    }
    if (last.others.length === 0) return last;
  }
}

/** The watches that are open, by the path that is watched. */
export async function openWatches(since: Date): Promise<string[]> {
  const calls = (await Promise.all(accounts.map((account) => callsOf(account, since, 'may-be-none')))).flat();
  const watches = calls.filter(({ verb }) => verb === 'watch');
  const over = new Set(watches.filter(({ state }) => state === 'over').map(({ id }) => id));
  const open = watches.filter(({ id, state }) => state === 'begun' && !over.has(id));
  return open.map(({ uri }) => new URL(uri, 'http://cluster').pathname).sort();
}
