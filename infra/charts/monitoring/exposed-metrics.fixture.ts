import { ElastiService } from '@elasti/api';
import { KitMetrics, KubeClient, SharedCache } from '@elasti/operator-kit';
import { OperatorKitModule } from '@elasti/operator-kit/nest';
import { FakeCaches, FakeClock } from '@elasti/operator-kit/testing';
import { Test } from '@nestjs/testing';
import { collectDefaultMetrics, register, Registry } from 'prom-client';
import { MetricsModule } from '../../../apps/operator/src/metrics';
import { ServiceDirectory } from '../../../apps/resolver/src/directory';
import { TrafficMeter, TrafficMetrics } from '../../../apps/resolver/src/metrics';

/** The labels of every metric that a program shows, by the name that a query asks for. */
export type ExposedMetrics = ReadonlyMap<string, readonly string[]>;

interface Described {
  readonly name: string;
  readonly labelNames?: readonly string[];
  readonly type?: string;
}

/** What the operator's own module registers, the kit's and the process's metrics included. Empties the default registry. */
export async function operatorMetrics(): Promise<ExposedMetrics> {
  const client = KubeClient.forServer({ server: 'http://127.0.0.1:1' });
  const module = await Test.createTestingModule({
    imports: [OperatorKitModule.forRoot({ name: 'operator', client, clock: new FakeClock() }), MetricsModule],
  })
    .overrideProvider(SharedCache)
    .useValue({ acquire: () => undefined, stop: () => Promise.resolve(), health: () => [] })
    .compile();
  const exposed = await exposedIn(register);
  await module.close();
  register.clear();
  return exposed;
}

/** What the resolver's own class registers, beside the kit's and the process's. */
export async function resolverMetrics(): Promise<ExposedMetrics> {
  const registry = new Registry();
  new KitMetrics(registry);
  collectDefaultMetrics({ register: registry });
  const caches = new FakeCaches();
  caches.of(ElastiService);
  const meter = new TrafficMeter(new ServiceDirectory(caches), new FakeClock());
  const forwarder = { openConnections: 0, openUpstreams: 0 };
  new TrafficMetrics(registry, { meter, gate: { activity: () => [] }, forwarder, routes: { notListening: 0 } });
  const exposed = await exposedIn(registry);
  registry.clear();
  return exposed;
}

async function exposedIn(registry: Registry): Promise<ExposedMetrics> {
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
  const described = registry.getMetricsAsArray() as unknown as Described[];
  return new Map(
    described.flatMap(({ name, labelNames = [] }): [string, readonly string[]][] =>
      types.get(name) === 'histogram'
        ? [
            [`${name}_bucket`, [...labelNames, 'le']],
            [`${name}_sum`, labelNames],
            [`${name}_count`, labelNames],
          ]
        : [[name, labelNames]],
    ),
  );
}
