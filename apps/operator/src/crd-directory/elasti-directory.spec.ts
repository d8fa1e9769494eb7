import { ElastiService } from '@elasti/api';
import { FakeClock } from '@elasti/operator-kit/testing';
import { FakeCluster } from '../controller/fake-cluster.fixture';
import { aDeployment, anElastiService, type ElastiServiceWish } from '../controller/objects.fixture';
import { Informers } from '../informer';
import { parseOperatorConfig } from '../operator.config';
import { ElastiDirectory } from './elasti-directory';

function setup(...elastiServices: ElastiService[]) {
  const cluster = new FakeCluster(new FakeClock());
  for (const elastiService of elastiServices) cluster.put(ElastiService, elastiService);
  const caches = cluster.attach();
  return { cluster, directory: new ElastiDirectory(new Informers(caches, caches, parseOperatorConfig({}))) };
}

const on = (service: string, createdAt?: string): ElastiServiceWish => ({ spec: { service }, createdAt });
const namesOf = (found: readonly { readonly metadata: { readonly name?: string } }[]) => found.map(({ metadata }) => metadata.name);

describe('ElastiDirectory', () => {
  it('knows who speaks for a Service, also for an additional one', () => {
    const { directory } = setup(anElastiService('a', { spec: { service: 'web', additionalServices: ['web-admin'] } }));

    expect(directory.forService('shop', 'web')?.metadata.name).toBe('a');
    expect(directory.forService('shop', 'web-admin')?.metadata.name).toBe('a');
    expect(directory.forService('shop', 'a')).toBeUndefined();
    expect(directory.forService('other', 'web')).toBeUndefined();
  });

  it('lets the older of two speak, and the first by name of two of the same second', () => {
    const older = anElastiService('z', on('web', '2028-01-01T00:00:00Z'));
    const { directory } = setup(anElastiService('a', on('web')), older, anElastiService('b', on('web')));

    expect(namesOf(directory.allOfService('shop', 'web'))).toEqual(['z', 'a', 'b']);
    expect([older, anElastiService('a', on('web'))].map((one) => directory.speaks(one))).toEqual([true, false]);
  });

  it('lets the next one speak when the older has gone, and not while it goes', () => {
    const going = { ...on('web', '2028-01-01T00:00:00Z'), deletedAt: '2030-01-01T00:00:00Z' };
    const { cluster, directory } = setup(anElastiService('old', going), anElastiService('new', on('web')));
    expect(directory.forService('shop', 'web')?.metadata.name).toBe('old');

    cluster.remove(ElastiService, { namespace: 'shop', name: 'old' });

    expect(directory.forService('shop', 'web')?.metadata.name).toBe('new');
  });

  it('finds those that share a target, whatever they call its kind', () => {
    const a = anElastiService('a', { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'deployments', name: 'web' } } });
    const b = anElastiService('b', {
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      createdAt: '2028-01-01T00:00:00Z',
    });
    const { directory } = setup(a, b, anElastiService('c'));

    expect(namesOf(directory.onTargetOf(a))).toEqual(['b', 'a']);
    expect(namesOf(directory.onTarget(aDeployment('web'))).sort()).toEqual(['a', 'b']);
    expect(directory.onTarget({ ...aDeployment('web'), kind: 'StatefulSet' })).toEqual([]);
  });

  it('lists them all', () => {
    const { directory } = setup(anElastiService('a'), anElastiService('b'));

    expect(namesOf(directory.list())).toEqual(['a', 'b']);
  });
});
