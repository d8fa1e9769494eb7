import { ElastiService, type ElastiServiceStatus } from '@elasti/api';
import { fakeClient } from '@elasti/operator-kit/testing';
import type { DryRunObservation } from './dry-run-account';
import { DryRunLedger } from './dry-run-ledger';

const { signal } = new AbortController();
const beginMs = Date.UTC(2030, 0, 1);
const minuteMs = 60_000;

function anElastiService(status: ElastiServiceStatus = {}, uid = 'uid-1'): ElastiService {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const created = ElastiService.create('web', { service: 'web', scaleTargetRef, mode: 'DryRun' }, { namespace: 'shop' });
  return { ...created, metadata: { ...created.metadata, uid }, status };
}

function setup({ patch }: Parameters<typeof fakeClient>[0] = {}) {
  const { client, patches } = fakeClient({ patch });
  const ledger = new DryRunLedger(client);
  let minute = 0;
  /** A minute passes between two observations. */
  const observe = (observation: DryRunObservation, elastiService = anElastiService()) =>
    ledger.record(elastiService, observation, beginMs + minuteMs * minute++, signal);
  const written = () => patches.map(({ patch }) => (patch as { body: { status: { dryRun: unknown } } }).body.status.dryRun);
  return { ledger, observe, patches, written };
}

const since = '2030-01-01T00:00:00Z';

describe('DryRunLedger', () => {
  it('writes when the account begins and at every change, and nothing in between', async () => {
    const { observe, written } = setup();

    for (const observation of ['awake', 'awake', 'idle', 'idle', 'unknown', 'idle', 'awake', 'awake'] as const) await observe(observation);

    expect(written()).toEqual([
      { since, sleptSeconds: 0, wakes: 0, asleepSince: null },
      { since, sleptSeconds: 0, wakes: 0, asleepSince: '2030-01-01T00:02:00Z' },
      { since, sleptSeconds: 240, wakes: 1, asleepSince: null },
    ]);
  });

  it('writes to the status of that very object and to nothing else', async () => {
    const { observe, patches } = setup();

    await observe('idle');

    expect(patches).toEqual([
      {
        ref: { namespace: 'shop', name: 'web' },
        subresource: 'status',
        patch: { type: 'merge', body: { metadata: { uid: 'uid-1' }, status: { dryRun: expect.any(Object) } } },
      },
    ]);
  });

  it('goes on from the status after a restart, and writes nothing for that', async () => {
    const { observe, written } = setup();
    const before = anElastiService({
      dryRun: { since: '2029-12-31T00:00:00Z', sleptSeconds: 100, wakes: 3, asleepSince: '2029-12-31T23:59:00Z' },
    });

    await observe('idle', before);
    expect(written()).toEqual([]);

    await observe('awake', before);
    expect(written()).toEqual([{ since: '2029-12-31T00:00:00Z', sleptSeconds: 220, wakes: 4, asleepSince: null }]);
  });

  it('writes in the next round what could not be written, and loses no time over it', async () => {
    let isDown = true;
    const { observe, written } = setup({
      patch: () => {
        if (isDown) throw new Error('no API server');
        return anElastiService();
      },
    });

    await expect(observe('idle')).rejects.toThrow('no API server');
    isDown = false;
    await observe('idle');

    expect(written()).toEqual([
      { since, sleptSeconds: 0, wakes: 0, asleepSince: since },
      { since, sleptSeconds: 0, wakes: 0, asleepSince: since },
    ]);
  });

  it('begins anew for an object that was made again under the same name', async () => {
    const { observe, written } = setup();

    await observe('idle');
    await observe('awake', anElastiService({}, 'uid-2'));

    expect(written()[1]).toEqual({ since: '2030-01-01T00:01:00Z', sleptSeconds: 0, wakes: 0, asleepSince: null });
  });

  it('takes away the account of a service that is no dry run any more', async () => {
    const { ledger, observe, written } = setup();
    await observe('idle');

    await ledger.close(anElastiService({ dryRun: { since, sleptSeconds: 0, wakes: 0 } }), signal);
    await ledger.close(anElastiService(), signal);
    await observe('awake');

    expect(written().slice(1)).toEqual([null, { since: '2030-01-01T00:01:00Z', sleptSeconds: 0, wakes: 0, asleepSince: null }]);
  });

  it('forgets who is gone', async () => {
    const { ledger, observe, written } = setup();
    await observe('awake');

    ledger.keepOnly(new Set(['uid-1']));
    await observe('awake');
    ledger.keepOnly(new Set());
    await observe('awake');

    expect(written()).toHaveLength(2);
  });
});
