import type { ElastiService } from '@elasti/api';
import { ControllerManager, type Frozen, KubeClient, type Logger, systemClock, untilAborted } from '@elasti/operator-kit';
import { OperatorKitModule } from '@elasti/operator-kit/nest';
import { RecordingLogger } from '@elasti/operator-kit/testing';
import { Global, Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { type IncomingHttpHeaders, request, type RequestOptions } from 'node:http';
import { register } from 'prom-client';
import { Waker, type WakeOutcome } from '../../apps/operator/src/controller';
import { ElastiDirectory } from '../../apps/operator/src/crd-directory';
import { ElastiServerModule } from '../../apps/operator/src/elasti-server';
import { WakeDesk, type WakeDeskLimits } from '../../apps/operator/src/elasti-server/wake-desk';
import { HealthModule } from '../../apps/operator/src/health';
import { applicationOptions } from '@elasti/operator-kit/program';
import { HttpModule, listen, type ListenAddresses } from '../../apps/operator/src/http';
import { MetricsModule } from '../../apps/operator/src/metrics';
import { eventually } from './client-server';
import { operatorConfigToken, parseOperatorConfig } from '../../apps/operator/src/operator.config';

export const wakePath = '/informer/incoming-request';
export const aWakeCall = { count: 1, svc: 'web', namespace: 'shop' };

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: () => unknown;
}

export interface Call extends Pick<RequestOptions, 'method' | 'agent'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  /** Sent in chunks, without a length, when it is a list. */
  readonly body?: string | readonly string[];
}

/** One request over a connection of its own unless an agent is given. */
export function call(port: number, { method = 'GET', path = '/', headers = {}, agent = false, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const outgoing = request({ host: '127.0.0.1', port, method, path, agent, headers: { ...length, ...headers } }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: () => JSON.parse(text) as unknown });
      });
    });
    outgoing.on('error', reject);
    for (const chunk of typeof body === 'string' ? [body] : (body ?? [])) outgoing.write(chunk);
    outgoing.end();
  });
}

/** A waker that does as a test says, and counts. */
export class ScriptedWaker extends Waker {
  readonly isRushed = false;
  calls = 0;
  answer: (elastiService: Frozen<ElastiService>, signal: AbortSignal) => Promise<WakeOutcome> = () => Promise.resolve('scaled');

  wake(elastiService: Frozen<ElastiService>, _why: string, signal: AbortSignal): Promise<WakeOutcome> {
    this.calls++;
    return this.answer(elastiService, signal);
  }

  stampBusy(): Promise<void> {
    return Promise.resolve();
  }
}

export function anElastiService(spec: Partial<ElastiService['spec']> = {}, name = 'web'): ElastiService {
  return {
    apiVersion: 'elasti.truefoundry.com/v1alpha1',
    kind: 'ElastiService',
    metadata: { namespace: 'shop', name, creationTimestamp: '2030-01-01T00:00:00Z' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, service: 'web', ...spec },
    status: { mode: 'proxy' },
  };
}

function directoryOf(elastiServices: readonly ElastiService[], hasSynced: boolean): ElastiDirectory {
  const isNamed = ({ metadata, spec }: ElastiService, key: string) =>
    [spec.service, ...(spec.additionalServices ?? [])].some((service) => `${metadata.namespace ?? ''}/${service}` === key);
  const byIndex = (_: string, key: string) => elastiServices.filter((one) => isNamed(one, key));
  const cache = { hasSynced, byIndex, list: () => [...elastiServices] };
  return new ElastiDirectory({ elastiServices: cache } as unknown as ConstructorParameters<typeof ElastiDirectory>[0]);
}

export interface ServedOptions {
  readonly env?: Record<string, string>;
  /** `unread`: the replica has not got so far yet. */
  readonly elastiServices?: readonly ElastiService[] | 'unread';
  readonly limits?: WakeDeskLimits;
  /** Where the API server is said to be. */
  readonly server?: string;
}

/** The operator's HTTP side on real ports, with a waker and a directory of a test's making behind it. */
export class ServedOperator {
  readonly logger = new RecordingLogger();
  readonly waker = new ScriptedWaker();
  /** What the controllers still have to do when they are told to stop. */
  lastWork: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly client: KubeClient,
    private readonly limits: WakeDeskLimits,
  ) {}

  app!: NestExpressApplication;
  addresses!: ListenAddresses;

  static async start({ env = {}, elastiServices = [anElastiService()], limits, server }: ServedOptions = {}): Promise<ServedOperator> {
    const client = KubeClient.forServer({ server: server ?? 'http://127.0.0.1:1' });
    const served = new ServedOperator(client, limits ?? { maxWaiting: 2_000, timeoutMs: 10_000, drainMs: 3_000 });
    const providers = [
      { provide: operatorConfigToken, useValue: parseOperatorConfig(env) },
      { provide: Waker, useValue: served.waker },
      { provide: ElastiDirectory, useValue: elastiServices === 'unread' ? directoryOf([], false) : directoryOf(elastiServices, true) },
    ];
    @Global()
    @Module({ providers, exports: providers })
    class WorldModule {}

    const module = await Test.createTestingModule({ imports: [WorldModule, ...served.modules(served.logger)] })
      .overrideProvider(WakeDesk)
      .useValue(new WakeDesk(served.waker, systemClock, served.limits))
      .compile();
    served.app = module.createNestApplication<NestExpressApplication>({ ...applicationOptions, logger: false });
    const manager = module.get(ControllerManager);
    manager.add({
      name: 'work',
      warmUp: () => Promise.resolve(),
      run: async (signal) => {
        await untilAborted(new Promise(() => undefined), signal).catch(() => undefined);
        await served.lastWork;
      },
    });
    served.addresses = await listen(served.app, { port: 0, probePort: 0, host: '127.0.0.1' });
    await eventually(() => manager.isLeader);
    return served;
  }

  private modules(logger: Logger) {
    const kit = OperatorKitModule.forRoot({ name: 'operator', client: this.client, logger });
    return [kit, HttpModule, MetricsModule, HealthModule, ElastiServerModule];
  }

  get port(): number {
    return this.addresses.api.port;
  }

  wake(body: unknown = aWakeCall, headers: Record<string, string> = {}, agent: RequestOptions['agent'] = false): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return call(this.port, {
      method: 'POST',
      path: wakePath,
      body: text,
      headers: { 'content-type': 'application/json', ...headers },
      agent,
    });
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.client.close();
    register.clear();
  }
}
