import { ElastiService, type ElastiServiceStatus } from '@elasti/api';
import type { CacheEvent, ObjectMeta } from '@elasti/operator-kit';
import { saysSomethingNew } from './says-something-new';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
function anElastiService(status: ElastiServiceStatus, metadata: Partial<ObjectMeta> = {}): ElastiService {
  const object = ElastiService.create('web', { scaleTargetRef: target, service: 'web' }, { namespace: 'shop' });
  return { ...object, metadata: { ...object.metadata, uid: '1', generation: 1, ...metadata }, status };
}
const updated = (before: ElastiService, object: ElastiService, resync = false): CacheEvent<ElastiService> => ({
  type: 'updated',
  before,
  object,
  resync,
});
const scaledDown = (status: 'True' | 'False') => ({
  conditions: [{ type: 'ScaledDown', status, reason: 'Asleep', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
});
const stamped = { lastScaledUpTime: '2026-01-02T00:00:00.000Z' };

describe('saysSomethingNew', () => {
  it('hears of what comes, goes and is replayed', () => {
    const object = anElastiService({});

    expect(saysSomethingNew({ type: 'added', object, initial: true })).toBe(true);
    expect(saysSomethingNew({ type: 'deleted', object, finalStateUnknown: false })).toBe(true);
    expect(saysSomethingNew(updated(object, object, true))).toBe(true);
  });

  it('hears of an edit, of a deletion and of an object made anew', () => {
    const before = anElastiService({});

    expect(saysSomethingNew(updated(before, anElastiService({}, { generation: 2 })))).toBe(true);
    expect(saysSomethingNew(updated(before, anElastiService({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })))).toBe(true);
    expect(saysSomethingNew(updated(before, anElastiService({}, { uid: '2' })))).toBe(true);
  });

  it('is silent about what the reconciler wrote itself', () => {
    const event = updated(anElastiService({ mode: 'serve' }), anElastiService({ mode: 'proxy', ...scaledDown('True') }));

    expect(saysSomethingNew(event)).toBe(false);
  });

  it('hears of a stamp that may call off a sleep', () => {
    const event = updated(anElastiService(scaledDown('False')), anElastiService({ ...scaledDown('False'), ...stamped }));

    expect(saysSomethingNew(event)).toBe(true);
  });

  it('leaves the stamp of a wake to the change of its target', () => {
    const event = updated(anElastiService(scaledDown('True')), anElastiService({ ...scaledDown('True'), ...stamped }));

    expect(saysSomethingNew(event)).toBe(false);
  });

  it('hears of the account of a dry run', () => {
    const dryRun = { since: '2026-01-01T00:00:00Z', sleptSeconds: 0, wakes: 0 };

    expect(saysSomethingNew(updated(anElastiService({}), anElastiService({ dryRun })))).toBe(true);
  });
});
