import { EndpointSlice, Pod } from '@elasti/operator-kit';
import type { ObjectMeta } from '@elasti/operator-kit';
import { succeeded } from './collection';
import type { Draft } from './collection';
import type { TestServer } from './harness';

/** An image with `node` in its path, for clusters that run containers; the simulator runs the commands themselves. */
const image = process.env.WEB_IMAGE ?? 'node:24-alpine';

/** A condition that only the cases set: so they decide when a pod is ready. */
const GATE = 'conformance.example.com/open';

const SERVER = `
require('node:http').createServer((request, response) => response.end('hello')).listen(Number(process.argv[1]), process.env.POD_IP);
process.on('SIGTERM', () => process.exit());
`;

export const program = (code: string, ...args: string[]): string[] => ['node', '-e', code, ...args];

export interface PodOptions {
  readonly port?: number;
  /** `held`: not ready before `open` is called for it. `lingering`: it ends only when somebody loses patience. */
  readonly manners?: 'held' | 'lingering';
  readonly version?: string;
}

/** The template of a pod that serves on the port named `http`. */
export function serverPod(app: string, { port = 8080, manners, version = '1' }: PodOptions = {}): { metadata: ObjectMeta; spec: Draft } {
  const lingering = { terminationGracePeriodSeconds: 600 };
  return {
    metadata: { labels: { app } },
    spec: {
      ...(manners === 'held' ? { readinessGates: [{ conditionType: GATE }] } : {}),
      ...(manners === 'lingering' ? lingering : {}),
      containers: [
        {
          name: 'main',
          image,
          command: program(SERVER, String(port)),
          env: [
            { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            { name: 'VERSION', value: version },
          ],
          ports: [{ name: 'http', containerPort: port }],
          readinessProbe: { tcpSocket: { port: 'http' }, periodSeconds: 1 },
          ...(manners === 'lingering' ? { lifecycle: { preStop: { sleep: { seconds: 600 } } } } : {}),
        },
      ],
    },
  };
}

/** A pod that runs one program and is not restarted, or as its spec says. */
export function programPod(name: string, code: string, container: object = {}, spec: object = {}): Draft {
  const main = { name: 'main', image, command: program(code), terminationMessagePolicy: 'FallbackToLogsOnError', ...container };
  return { metadata: { name, labels: { app: name } }, spec: { containers: [main], terminationGracePeriodSeconds: 1, ...spec } };
}

/** What the cases of controllers ask of pods and slices. */
export class RunningPods {
  readonly pods;
  private readonly slices;

  constructor(server: TestServer) {
    this.pods = server.of(Pod);
    this.slices = server.of(EndpointSlice);
  }

  /** The pods of an app that are not being ended, by name. */
  async of(app: string): Promise<Pod[]> {
    const { items } = succeeded(await this.pods.list({ labelSelector: `app=${app}` }));
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .sort((one, other) => (one.metadata.name ?? '').localeCompare(other.metadata.name ?? ''));
  }

  /** Lets a held pod be ready, or no longer. */
  async open(name: string, status: 'True' | 'False' = 'True'): Promise<void> {
    succeeded(await this.pods.patch(name, 'strategic', { status: { conditions: [{ type: GATE, status }] } }, {}, 'status'));
  }

  async end(name: string): Promise<void> {
    succeeded(await this.pods.delete(name, { gracePeriodSeconds: 0 }));
  }

  async slicesOf(service: string): Promise<EndpointSlice[]> {
    return succeeded(await this.slices.list({ labelSelector: `kubernetes.io/service-name=${service}` })).items;
  }

  /** Each endpoint of a Service: its pod, or else its address, and the words for the conditions that hold. */
  async endpointsOf(service: string): Promise<[string, string][]> {
    const endpoints = (await this.slicesOf(service)).flatMap((slice) => (slice.endpoints as typeof slice.endpoints | null) ?? []);
    return endpoints.map(({ conditions = {}, targetRef, addresses }) => {
      const { ready, serving, terminating } = conditions;
      const words = [ready && 'ready', serving && 'serving', terminating && 'terminating'].filter(Boolean);
      return [targetRef?.name ?? addresses[0] ?? '', words.join(' ') || 'none'];
    });
  }

  /** The same without the pods, in order. */
  async conditionsOf(service: string): Promise<string[]> {
    return (await this.endpointsOf(service)).map(([, words]) => words).sort();
  }
}
