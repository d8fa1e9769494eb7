import { slimWorkload } from './workload';

describe('slimWorkload', () => {
  it('keeps the number of replicas and the identity', () => {
    const slim = slimWorkload({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '7', labels: { a: 'b' }, managedFields: [{}] },
      spec: { replicas: 2, template: { spec: { containers: [] } } },
      status: { replicas: 2, readyReplicas: 1, conditions: [{}] },
    });

    expect(slim).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '7' },
      spec: { replicas: 2 },
    });
  });

  it('keeps the phase of a Rollout and that a workload is going', () => {
    const metadata = { name: 'web', deletionTimestamp: '2030-01-01T00:00:00Z' };

    const slim = slimWorkload({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata, status: { phase: 'Paused' } });

    expect(slim).toMatchObject({ status: { phase: 'Paused' }, metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } });
  });

  it('takes an object with neither spec nor status', () => {
    expect(slimWorkload({ apiVersion: 'a/v1', kind: 'Game', metadata: { name: 'web' } }).spec).toEqual({ replicas: undefined });
  });
});
