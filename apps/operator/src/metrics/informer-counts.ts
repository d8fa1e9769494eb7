import type { KitMetrics, SharedCache } from '@elasti/operator-kit';
import type { Counter, Gauge } from 'prom-client';

type Watches = Pick<SharedCache, 'health'>;
type Restarts = Pick<KitMetrics, 'watchRestarts'>;

/** Sets the gauge to the number of watches of each kind, at a scrape. */
export function countInformers(gauge: Gauge, caches: Watches): void {
  gauge.reset();
  for (const { resource } of caches.health()) gauge.inc({ informer_name: resource });
}

/** Sets the counter to how often watches have begun: once for each there is, and again for every restart, by why the last one ended. */
export async function countInformerStarts(counter: Counter, caches: Watches, { watchRestarts }: Restarts): Promise<void> {
  const { values } = await watchRestarts.get();
  counter.reset();
  for (const { resource } of caches.health()) counter.inc({ crd_name: resource, action: 'start', error: 'success' });
  for (const { labels, value } of values) {
    // A server closes every watch after a while: that is no failure.
    const error = labels.reason === 'closed' ? 'success' : String(labels.reason);
    counter.inc({ crd_name: String(labels.resource), action: 'restart', error }, value);
  }
}
