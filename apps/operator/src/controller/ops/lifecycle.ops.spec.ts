import { ElastiService } from '@elasti/api';
import { ConflictError } from '@elasti/operator-kit';
import { Shop } from '../shop.fixture';
import type { Findings } from './lifecycle.ops';

const ref = { namespace: 'shop', name: 'web' };
const findings: Findings = {
  mode: 'serve',
  routes: [{ service: 'web', port: 80, resolverPort: 20_000 }],
  conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'it is', observedGeneration: 1 }],
  heldTarget: undefined,
};

function setup() {
  const shop = new Shop();
  const { clock, cluster, replica, signal } = shop;
  const { lifecycle } = replica;
  const cached = () => {
    const found = replica.informers.elastiServices.get(ref);
    if (!found) throw new Error('it is not in the cache');
    return found;
  };
  const report = (over: Partial<Findings> = {}) => lifecycle.report(lifecycle.freshest(cached()), { ...findings, ...over }, signal);
  return { clock, cluster, replica, lifecycle, cached, report };
}

describe('LifecycleOps', () => {
  it('writes the status only when something has changed', async () => {
    const { clock, cluster, replica, report } = setup();

    await expect(report()).resolves.toBe('written');
    await clock.advance(60_000);
    await expect(report()).resolves.toBe('unchanged');

    expect(cluster.writes).toEqual(['patch status ElastiService web']);
    expect(replica.elastiService().status).toMatchObject({
      mode: 'serve',
      observedGeneration: 1,
      lastReconciledTime: '2030-01-01T00:00:00.000Z',
      routes: findings.routes,
    });
  });

  it('stamps lastReconciledTime with every change, and keeps what others have in the status', async () => {
    const { clock, cluster, replica, report } = setup();
    await report();
    cluster.change(ElastiService, ref, (o) => (o.status = { ...o.status, lastScaledUpTime: '2029-12-31T00:00:00Z' }));
    await clock.advance(1_000);

    await report({ mode: 'proxy' });

    expect(replica.elastiService().status).toMatchObject({
      mode: 'proxy',
      lastReconciledTime: '2030-01-01T00:00:01.000Z',
      lastScaledUpTime: '2029-12-31T00:00:00Z',
    });
  });

  it('does not take another order of the fields for a change', async () => {
    const { cluster, report } = setup();
    await report();
    cluster.change(ElastiService, ref, (o) => {
      o.status = Object.fromEntries(Object.entries(o.status ?? {}).reverse());
    });

    await expect(report()).resolves.toBe('unchanged');
  });

  it('goes on from what it wrote, though the watch does not show it yet', async () => {
    const { replica, lifecycle, cached, report } = setup();
    replica.caches.holdBack();

    await report({ mode: 'proxy' });

    expect(cached().status).toBeUndefined();
    expect(lifecycle.freshest(cached()).status?.mode).toBe('proxy');
    await expect(report({ mode: 'proxy' })).resolves.toBe('unchanged');
  });

  it('follows the watch again as soon as it is newer', async () => {
    const { cluster, replica, lifecycle, cached, report } = setup();
    replica.caches.holdBack();
    await report();
    replica.caches.letGo();
    cluster.change(ElastiService, ref, ({ spec }) => (spec.cooldownPeriod = 60));

    expect(lifecycle.freshest(cached()).spec.cooldownPeriod).toBe(60);
  });

  it('forgets what it wrote about one that is gone', async () => {
    const { replica, lifecycle, cached, report } = setup();
    replica.caches.holdBack();
    await report();

    lifecycle.forget(cached());

    expect(lifecycle.freshest(cached())).toBe(cached());
  });

  it('keeps a stamp that was written meanwhile', async () => {
    const { cluster, replica, report } = setup();
    replica.caches.holdBack();
    cluster.change(ElastiService, ref, (o) => (o.status = { lastScaledUpTime: '2030-01-01T00:00:00.000Z' }));

    await report();

    expect(cluster.look(ElastiService, ref).status).toMatchObject({ mode: 'serve', lastScaledUpTime: '2030-01-01T00:00:00.000Z' });
  });

  it('says nothing about an object that was edited meanwhile', async () => {
    const { cluster, replica, report } = setup();
    replica.caches.holdBack();
    cluster.change(ElastiService, ref, (o) => (o.spec.cooldownPeriod = 7));

    await expect(report()).rejects.toThrow(ConflictError);
  });

  it('reports whose triggers fail, and nothing of triggers that were not asked', async () => {
    const { replica, report } = setup();
    const triggers = (status: 'True' | 'False' | 'Unknown') =>
      report({ conditions: [{ type: 'TriggersHealthy', status, reason: 'Asked', message: 'or not', observedGeneration: 1 }] });

    await triggers('Unknown');
    await triggers('False');
    await triggers('True');

    expect(replica.metrics.lines.filter((line) => line.startsWith('triggers'))).toEqual([
      'triggers shop web failing',
      'triggers shop web healthy',
    ]);
  });

  it('logs and counts each change of state once', async () => {
    const { replica, report } = setup();

    await report();
    await report();
    await report({ mode: 'proxy' });

    expect(replica.logger.entries.map(({ message, fields }) => [message, fields.mode ?? fields.reason])).toEqual([
      ['the mode changed', 'serve'],
      ['a condition changed', 'Ready'],
      ['the mode changed', 'proxy'],
    ]);
    expect(replica.metrics.lines.filter((line) => line.startsWith('statusWritten'))).toHaveLength(2);
    expect(replica.metrics.lines.filter((line) => line.startsWith('mode'))).toHaveLength(3);
  });
});
