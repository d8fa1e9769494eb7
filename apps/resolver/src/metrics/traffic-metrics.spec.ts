import { ElastiService } from '@elasti/api';
import { FakeCaches, FakeClock } from '@elasti/operator-kit/testing';
import { Registry } from 'prom-client';
import { ServiceDirectory } from '../directory';
import { anElastiService } from '../directory/elasti-service.fixture';
import type { SeenActivity } from '../gate';
import { TrafficMeter } from './traffic-meter';
import { TrafficMetrics } from './traffic-metrics';

const web = { namespace: 'shop', service: 'web', port: 80 };

function setup() {
  const caches = new FakeCaches();
  const clock = new FakeClock();
  const services = caches.of(ElastiService);
  const meter = new TrafficMeter(new ServiceDirectory(caches), clock);
  services.put(anElastiService({ status: { mode: 'proxy' } }));
  const registry = new Registry();
  const activity: SeenActivity[] = [];
  const forwarder = { openConnections: 7, openUpstreams: 3 };
  const build = () => new TrafficMetrics(registry, { meter, gate: { activity: () => activity }, forwarder, routes: { notListening: 2 } });
  build();
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'));
  return { meter, clock, services, activity, lines, build };
}

describe('TrafficMetrics', () => {
  it("counts requests by service and code class, under KubeElasti's names", async () => {
    const { meter, clock, lines } = setup();
    const beganAtMs = clock.monotonic();
    await clock.advance(700);

    meter.ended(web, 201, beganAtMs);
    meter.ended(web, 503, beganAtMs);

    expect(await lines()).toEqual(
      expect.arrayContaining([
        'elasti_resolver_incoming_requests_bucket{le="0.5",namespace="shop",source="web",status="2xx",error="success"} 0',
        'elasti_resolver_incoming_requests_bucket{le="1",namespace="shop",source="web",status="2xx",error="success"} 1',
        'elasti_resolver_incoming_requests_sum{namespace="shop",source="web",status="2xx",error="success"} 0.7',
        'elasti_resolver_incoming_requests_count{namespace="shop",source="web",status="5xx",error="error"} 1',
      ]),
    );
  });

  it('tells what is held, open and turned away, and how the operator answered', async () => {
    const { meter, activity, lines } = setup();
    activity.push({ ...web, open: 4, held: 2, lastRequestMs: 0 });

    meter.refused(web, 'queue full');
    meter.refused(web, 'came back');
    meter.refused(undefined, 'malformed');
    meter.asked('accepted');
    meter.asked('unreachable');
    meter.identified('none');
    meter.probed(web);
    meter.lost(web);

    expect(await lines()).toEqual(
      expect.arrayContaining([
        'elasti_resolver_queued_count{namespace="shop",source="web"} 2',
        'elasti_resolver_open_requests{namespace="shop",service="web"} 4',
        'elasti_resolver_open_connections 7',
        'elasti_resolver_deaf_routes 2',
        'elasti_resolver_open_upstream_connections 3',
        'elasti_resolver_rejected_count{namespace="shop",service="web",reason="queue_full"} 1',
        'elasti_resolver_rejected_count{namespace="shop",service="web",reason="came_back"} 1',
        'elasti_resolver_rejected_count{namespace="",service="",reason="malformed"} 1',
        'elasti_resolver_operator_rpc_count{error="success"} 1',
        'elasti_resolver_operator_rpc_count{error="unreachable"} 1',
        'elasti_resolver_host_extraction_count{extractionType="host",error="unknown"} 1',
        'elasti_resolver_probe_answer_count{namespace="shop",service="web"} 1',
        'elasti_resolver_lost_count{namespace="shop",service="web"} 1',
      ]),
    );
  });

  it('tells how long was held and woken, and how fast a ready pod was used', async () => {
    const { meter, lines } = setup();

    meter.held(web, 'entered', 1_500);
    meter.woken(web, 1_400);
    meter.sentAfterHold(web, { heldAtMs: 0, readyAtMs: 1_400, leasedAtMs: 1_401, sentAtMs: 1_402 });

    expect(await lines()).toEqual(
      expect.arrayContaining([
        'elasti_resolver_held_seconds_sum{namespace="shop",service="web"} 1.5',
        'elasti_resolver_wake_seconds_sum{namespace="shop",service="web"} 1.4',
        'elasti_resolver_ready_to_first_byte_seconds_sum 0.002',
      ]),
    );
  });

  it('counts who takes the traffic each time that changes', async () => {
    const { services, lines } = setup();

    for (const mode of ['serve', 'serve', 'proxy', 'serve'] as const) services.put(anElastiService({ status: { mode } }));

    expect(await lines()).toEqual(
      expect.arrayContaining([
        'elasti_resolver_traffic_switch_count{namespace="shop",source="web",enabled="true"} 1',
        'elasti_resolver_traffic_switch_count{namespace="shop",source="web",enabled="false"} 2',
      ]),
    );
  });

  it('has series of known services only, and drops them with the service', async () => {
    const { meter, services, lines } = setup();
    meter.held(web, 'entered', 1_000);
    meter.held({ namespace: 'shop', service: 'nobody' }, 'unknown', 0);
    meter.ended({ ...web, service: 'nobody' }, 404, 0);

    services.remove({ namespace: 'shop', name: 'web' });
    meter.ended(web, 200, 0);

    expect((await lines()).filter((line) => /nobody|web/.test(line))).toEqual([]);
  });

  it('shows nothing of a service that is only known', async () => {
    const { lines } = setup();

    expect((await lines()).filter((line) => line.includes('web'))).toEqual([]);
  });

  it('takes the place of an earlier application of the process', async () => {
    const { build, lines } = setup();

    build();

    expect((await lines()).filter((line) => line.startsWith('elasti_resolver_open_connections'))).toHaveLength(1);
  });
});
