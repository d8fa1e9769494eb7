import { ElastiService } from '@elasti/api';
import { Service } from '@elasti/operator-kit';
import { FakeCaches } from '@elasti/operator-kit/testing';
import { ServiceDirectory } from '../directory';
import { anElastiService } from '../directory/elasti-service.fixture';
import { PrivateServices } from '../endpoints';
import { aPrivateService } from '../endpoints/endpoints.fixture';
import { parseServiceHost } from './service-host';
import { SharedPort } from './shared-port';

const web = { namespace: 'shop', service: 'web' };
const parse = (text: string) => parseServiceHost(text, 'cluster.local');

describe('parseServiceHost', () => {
  it.each([
    'web.shop',
    'web.shop.svc',
    'web.shop.svc.cluster.local',
    'web.shop.svc.cluster.local.',
    'WEB.Shop.SVC',
    'http://web.shop',
    'https://web.shop.svc',
    'web.shop/path/to',
    'web.shop.svc.cluster.local/*',
    'http://web.shop/*',
  ])('reads %s', (text) => {
    expect(parse(text)).toEqual(web);
  });

  it.each(['web.shop:8080', 'http://web.shop.svc:8080', 'web.shop.svc.cluster.local:8080/*', 'web.shop:8080/a?b=c'])(
    'reads the port of %s',
    (text) => {
      expect(parse(text)).toEqual({ ...web, port: 8080 });
    },
  );

  it.each([
    '',
    'web',
    '.shop',
    'web.',
    'web..shop',
    'web.shop.',
    'web.shop.com',
    'web.shop.svc.',
    'web.shop.svc.cluster',
    'web.shop.svc.other.local',
    'web.shop.svc.cluster.local.evil.com',
    'web.shop:0',
    'web.shop:080',
    'web.shop:65536',
    'web.shop:',
    'web.shop:80:80',
    'user@web.shop',
    'ftp://web.shop',
    '//web.shop',
    ' web.shop',
    'web.shop ',
    'web.shop/a b',
    'web_1.shop',
    '-web.shop',
    'web-.shop',
    '10.0.0.1',
    '[fd00::1]:80',
    'web.shop\n',
    'web.shop?x',
    `${'a'.repeat(64)}.shop`,
    `web.shop/${'a'.repeat(2_000)}`,
  ])('refuses %j', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it('knows the cluster by its own domain', () => {
    expect(parseServiceHost('web.shop.svc.k8s.example.com', 'k8s.example.com')).toEqual(web);
  });
});

describe('SharedPort', () => {
  function setup(ports?: { name: string; port: number }[]) {
    const caches = new FakeCaches();
    caches.of(ElastiService).put(anElastiService());
    if (ports) caches.of(Service).put(aPrivateService({ ports }));
    return new SharedPort(new ServiceDirectory(caches), new PrivateServices(caches), 'cluster.local');
  }

  it('finds a port that the Service has', () => {
    const shared = setup([
      { name: 'http', port: 80 },
      { name: 'admin', port: 8080 },
    ]);

    expect([shared.find('web.shop:8080'), shared.find('web.shop')]).toEqual([
      { ...web, port: 8080 },
      { ...web, port: 80 },
    ]);
  });

  it('knows neither a Service that nobody speaks for nor a port that is not there', () => {
    const shared = setup([{ name: 'http', port: 80 }]);

    expect([shared.find('other.shop'), shared.find('web.other'), shared.find('web.shop:81'), shared.find('nonsense')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('takes the first port that wakes where there is no port 80', () => {
    const shared = setup([
      { name: 'metrics', port: 9090 },
      { name: 'http', port: 8080 },
    ]);

    expect(shared.find('web.shop')?.port).toBe(8080);
  });

  it('leaves the port to be checked later while the ports are not known', () => {
    const shared = setup();

    expect([shared.find('web.shop:8080')?.port, shared.find('web.shop')?.port]).toEqual([8080, 80]);
  });
});
