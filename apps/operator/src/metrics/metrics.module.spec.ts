import { KitMetrics, KubeClient, SharedCache } from '@elasti/operator-kit';
import { OperatorKitModule } from '@elasti/operator-kit/nest';
import { FakeClock } from '@elasti/operator-kit/testing';
import { Test } from '@nestjs/testing';
import { register } from 'prom-client';
import { InformerMetrics } from './informer.metrics';
import { MetricsModule } from './metrics.module';
import { OperatorMetrics } from './operator.metrics';

async function setup() {
  const client = KubeClient.forServer({ server: 'http://127.0.0.1:1' });
  const module = await Test.createTestingModule({
    imports: [OperatorKitModule.forRoot({ name: 'operator', client, clock: new FakeClock() }), MetricsModule],
  })
    .overrideProvider(SharedCache)
    .useValue({
      acquire: () => undefined,
      stop: () => Promise.resolve(),
      health: () => [{ resource: 'services' }, { resource: 'services' }],
    })
    .compile();
  const lines = async () => (await register.metrics()).split('\n');
  return { module, lines };
}

describe('MetricsModule', () => {
  afterEach(() => register.clear());

  it("shows what the rooms report beside the kit's and the process's own metrics", async () => {
    const { module, lines } = await setup();

    module.get(OperatorMetrics).mode('shop', 'web', 'proxy');
    module.get(KitMetrics).clientRequests.inc({ verb: 'get', code: '200' });

    expect(await lines()).toEqual(
      expect.arrayContaining([
        'elasti_operator_mode{crd_name="shop/web"} 1',
        'rest_client_requests_total{verb="get",code="200"} 1',
        expect.stringMatching(/^process_cpu_user_seconds_total /),
      ]),
    );
  });

  it('counts the watches there are and their restarts', async () => {
    const { module, lines } = await setup();
    const { watchRestarts } = module.get(KitMetrics);
    watchRestarts.inc({ resource: 'services', reason: 'closed' }, 3);
    watchRestarts.inc({ resource: 'services', reason: 'unreachable' });

    await lines();

    expect(await lines()).toEqual(
      expect.arrayContaining([
        'elasti_operator_informer_count{informer_name="services"} 2',
        'elasti_operator_informer_counter{crd_name="services",action="start",error="success"} 2',
        'elasti_operator_informer_counter{crd_name="services",action="restart",error="success"} 3',
        'elasti_operator_informer_counter{crd_name="services",action="restart",error="unreachable"} 1',
      ]),
    );
  });

  it('shows the events that handlers were given', async () => {
    const { module, lines } = await setup();

    module.get(InformerMetrics).handled('deployments.apps', 'success');

    expect(await lines()).toContain('elasti_operator_informer_handler_counter{key="deployments.apps",error="success"} 1');
  });
});
