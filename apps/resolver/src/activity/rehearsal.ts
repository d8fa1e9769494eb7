import { maxRehearsalSubjects, type RehearsalReply, type RehearsalRequest, type RehearsalSubject, type RouteRehearsal } from '@elasti/api';
import { type Clock, withTimeout } from '@elasti/operator-kit';
import type { PrivateServices, ReadyPods } from '../endpoints';
import type { ServicePort } from '../exchange';
import type { RouteListeners } from '../routes';

/** Opens a TCP connection and closes it again. Rejects when it cannot be opened, and with the signal's reason. */
export type TryConnect = (address: string, port: number, signal: AbortSignal) => Promise<void>;

export interface RehearsalDependencies {
  readonly listeners: Pick<RouteListeners, 'isListening'>;
  readonly services: Pick<PrivateServices, 'find'>;
  readonly pods: Pick<ReadyPods, 'of'>;
  readonly connect: TryConnect;
  readonly clock: Clock;
}

export class RehearsalError extends Error {
  override readonly name = 'RehearsalError';
}

type Connects = Pick<RouteRehearsal, 'connects' | 'problem'>;

const connectTimeoutMs = 1_000;
/** One pod may be on its way out while the slice still has it. */
const podsToTry = 2;
const maxConcurrent = 64;
const maxRoutes = 10_000;

/**
 * Answers `POST /rehearse`: whether this resolver could take the traffic of each Service.
 *
 * Nothing is dialled but ready pods of the Services asked for, each port for a second at most, a bounded number at once.
 */
export class Rehearsal {
  constructor(private readonly dependencies: RehearsalDependencies) {}

  /** @throws RehearsalError when too much is asked for at once */
  async reply({ services }: RehearsalRequest, signal: AbortSignal): Promise<RehearsalReply> {
    assertSize(services);
    const routes = services.flatMap(({ namespace, service, routes: asked }) => asked.map((route) => ({ namespace, service, ...route })));
    const results = await mapBounded(routes, (route) => this.rehearse(route, signal));
    const inOrder = results.values();
    return {
      services: services.map(({ namespace, service, routes: asked }) => ({
        namespace,
        service,
        routes: asked.flatMap(() => inOrder.next().value ?? []),
      })),
    };
  }

  private async rehearse(route: ServicePort & { readonly resolverPort: number }, signal: AbortSignal): Promise<RouteRehearsal> {
    const { port, resolverPort } = route;
    const listening = this.dependencies.listeners.isListening(resolverPort, route);
    const { connects, problem } = await this.tryPods(route, signal);
    const problems = [...(listening ? [] : [`not listening on ${resolverPort} for this port`]), ...(problem ? [problem] : [])];
    return { port, resolverPort, listening, connects, ...(problems.length > 0 && { problem: problems.join('; ') }) };
  }

  private async tryPods(route: ServicePort, signal: AbortSignal): Promise<Connects> {
    const { services, pods } = this.dependencies;
    const facts = services.find(route)?.ports.get(route.port);
    if (!facts) return { connects: 'no pod', problem: `the private Service is not known here, or has no port ${route.port}` };

    const places = pods.of(route).flatMap(({ address, ports }) => {
      const port = ports.get(facts.name);
      return port === undefined ? [] : [{ address, port }];
    });
    if (places.length === 0) return { connects: 'no pod' };

    const tries = places.slice(0, podsToTry).map(({ address, port }) => this.connect(address, port, signal));
    try {
      await Promise.any(tries);
      return { connects: 'yes' };
    } catch (error) {
      signal.throwIfAborted();
      const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
      return { connects: 'no', problem: `no pod takes a connection: ${first instanceof Error ? first.message : String(first)}` };
    }
  }

  private connect(address: string, port: number, signal: AbortSignal): Promise<void> {
    const { clock, connect } = this.dependencies;
    const reason = () => new Error(`no answer within ${connectTimeoutMs} ms`);
    return withTimeout({ clock, timeoutMs: connectTimeoutMs, reason, signal }, (limited) => connect(address, port, limited));
  }
}

function assertSize(services: readonly RehearsalSubject[]): void {
  if (services.length > maxRehearsalSubjects) {
    throw new RehearsalError(`services has ${services.length} entries: ask for at most ${maxRehearsalSubjects} at once`);
  }
  const routes = services.reduce((sum, subject) => sum + subject.routes.length, 0);
  if (routes > maxRoutes) throw new RehearsalError(`services have ${routes} routes: ask for at most ${maxRoutes} at once`);
}

async function mapBounded<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const runner = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: maxConcurrent }, runner));
  return results;
}
