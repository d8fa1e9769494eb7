import { ElastiService } from '@elasti/api';
import { FakeCaches } from '@elasti/operator-kit/testing';
import { anElastiService } from './elasti-service.fixture';
import { isWakingPort } from './known-service';
import { ServiceDirectory } from './service-directory';

const web = { namespace: 'shop', service: 'web' };

function setup() {
  const caches = new FakeCaches();
  const directory = new ServiceDirectory(caches);
  return { directory, cache: caches.of(ElastiService) };
}

describe('ServiceDirectory', () => {
  it('finds the ElastiService of a Service, in its own namespace only', () => {
    const { directory, cache } = setup();

    cache.put(anElastiService({ name: 'mine' }));

    expect(directory.find(web)).toMatchObject({ ...web, elastiService: 'mine' });
    expect(directory.find({ ...web, namespace: 'other' })).toBeUndefined();
  });

  it('knows further Services of one ElastiService', () => {
    const { directory, cache } = setup();

    cache.put(anElastiService({ additionalServices: ['web-admin'] }));

    expect(directory.list().map(({ service }) => service)).toEqual(['web', 'web-admin']);
  });

  it('lets the older of two speak, and the other once it is gone', () => {
    const { directory, cache } = setup();
    cache.put(anElastiService({ name: 'a-newer', createdAt: '2030-01-02T00:00:00Z' }));
    cache.put(anElastiService({ name: 'b-older', createdAt: '2030-01-01T00:00:00Z' }));

    const first = directory.find(web)?.elastiService;
    cache.remove({ namespace: 'shop', name: 'b-older' });

    expect([first, directory.find(web)?.elastiService]).toEqual(['b-older', 'a-newer']);
  });

  it('forgets a Service that its ElastiService no longer names', () => {
    const { directory, cache } = setup();
    cache.put(anElastiService());

    cache.put(anElastiService({ service: 'api' }));

    expect(directory.find(web)).toBeUndefined();
    expect(directory.find({ ...web, service: 'api' })).toBeDefined();
  });

  it('tells limits, mode and the ways to forward, with the defaults of the API', () => {
    const { directory, cache } = setup();

    cache.put(anElastiService({ queue: { maxRequests: 7, maxBytes: 70_000 }, timeouts: { request: 30 }, status: { mode: 'proxy' } }));

    expect(directory.find(web)).toMatchObject({
      mode: 'proxy',
      maxRequests: 7,
      maxBytes: 70_000,
      requestTimeoutMs: 30_000,
      coldStart: 'hold',
      forward: 'pod',
      probeResponse: [],
    });
  });

  it('tells listeners of their Service only, until they leave', () => {
    const { directory, cache } = setup();
    const heard: string[] = [];
    const leave = directory.watch(web, () => heard.push('web'));
    directory.watchAll(({ service }) => heard.push(`any ${service}`));

    cache.put(anElastiService({ name: 'api', service: 'api' }));
    cache.put(anElastiService());
    leave();
    cache.remove({ namespace: 'shop', name: 'web' });

    expect(heard).toEqual(['any api', 'web', 'any web', 'any web']);
  });

  it('leaves the watch when closed', () => {
    const { directory, cache } = setup();

    directory.close();

    expect([cache.users, cache.handlerCount]).toEqual([0, 0]);
  });
});

describe('isWakingPort', () => {
  it('takes names that end in metrics for scraping, unless other names are given', () => {
    expect(['http', '', 'metrics', 'http-metrics', 'metrics-http'].map((name) => isWakingPort({}, name))).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
    expect(['http', 'metrics', 'admin'].map((name) => isWakingPort({ nonWakingPorts: ['admin'] }, name))).toEqual([true, true, false]);
    expect(isWakingPort({ nonWakingPorts: [] }, 'metrics')).toBe(true);
  });
});
