import { Deployment } from '@elasti/operator-kit';
import { anElastiService } from '../objects.fixture';
import { findObstacle } from './find-obstacle';

const headless = { reason: 'HeadlessService', message: 'give it a cluster IP' } as const;
const udpOnly = { reason: 'ServiceWithoutTcpPort', message: 'add a TCP port' } as const;

const target = { problem: 'there is none' };
const local = { reason: 'LocalTrafficPolicy', message: 'every node needs a resolver' } as const;

describe('findObstacle', () => {
  it('finds none where nothing stands in the way', () => {
    expect(findObstacle(anElastiService(), { refusals: [], target })).toBeUndefined();
  });

  it('leaves what was made to the older ElastiService that speaks for the Service, and names it', () => {
    const obstacle = findObstacle(anElastiService('web-2'), { claimedBy: 'web', refusals: [headless], target });

    expect(obstacle).toMatchObject({ children: 'hand over', remark: { reason: 'ServiceClaimed' } });
    expect(obstacle?.remark.message).toContain('ElastiService web ');
  });

  it('gives back what a dry run finds of an earlier life', () => {
    const obstacle = findObstacle(anElastiService('web', { spec: { mode: 'DryRun' } }), { refusals: [], target });

    expect(obstacle).toMatchObject({ children: 'give back', remark: { reason: 'DryRun' } });
  });

  it('says every reason for which a Service is refused, under the first one', () => {
    const obstacle = findObstacle(anElastiService(), { refusals: [headless, udpOnly], target });

    expect(obstacle).toEqual({
      children: 'give back',
      remark: { reason: 'HeadlessService', message: 'give it a cluster IP; add a TCP port' },
    });
  });

  it.each<[string, 'True' | 'False', number, boolean]>([
    ['one that is awake', 'False', 1, true],
    ['one that sleeps', 'True', 0, false],
    ['one that wakes', 'True', 1, true],
    ['one that was refused before somebody scaled it to zero', 'False', 0, true],
  ])('takes a node without a resolver for an obstacle or for something that passes: %s', (_what, status, replicas, isObstacle) => {
    const conditions = [{ type: 'ScaledDown', status, reason: 'Any', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' }];
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'shop', name: 'web' } };
    const observed = { kind: Deployment, ref: { namespace: 'shop', name: 'web' }, replicas, workload };

    const obstacle = findObstacle(anElastiService('web', { status: { conditions } }), { refusals: [local], target: observed });

    expect(obstacle !== undefined).toBe(isObstacle);
  });
});
