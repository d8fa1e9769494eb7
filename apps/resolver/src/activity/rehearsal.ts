import { maxRehearsalSubjects, type RehearsalReply, type RehearsalRequest, type RehearsalSubject, type RouteRehearsal } from '@elasti/api';
import { type Clock, InFlightLimit, withTimeout } from '@elasti/operator-kit';
import { ServiceMap } from '../directory';
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

/** `too large`: ask for less; `too many`: ask later. */
export type RehearsalRefusal = 'too large' | 'too many';

export class RehearsalError extends Error {
  override readonly name = 'RehearsalError';

  constructor(
    readonly reason: RehearsalRefusal,
    message: string,
  ) {
    super(message);
  }
}

type RouteAsked = ServicePort & { readonly resolverPort: number };
type Connects = Pick<RouteRehearsal, 'connects' | 'problem'>;

const connectTimeoutMs = 1_000;
/** One pod may be on its way out while the slice still has it. */
const podsToTry = 2;
const maxConcurrent = 64;
const maxRoutes = 10_000;
/** Under way or waiting; an operator has two open at a time. */
const maxCalls = 16;

/**
 * Answers `POST /rehearse`: whether this resolver could take the traffic of each Service.
 *
 * Nothing is dialled but ready pods of the Services asked for, each port once a call and for a second at most, a bounded number at once. Calls are answered one after
 * the other.
 */
export class Rehearsal {
  private readonly calls = new InFlightLimit(1, maxCalls - 1);

  constructor(private readonly dependencies: RehearsalDependencies) {}

  /** @throws RehearsalError when too much is asked for, or by too many, at once */
  async reply({ services }: RehearsalRequest, signal: AbortSignal): Promise<RehearsalReply> {
    assertSize(services);
    if (this.calls.isFull) throw new RehearsalError('too many', `${maxCalls} rehearsals are under way: ask again in a second`);
    return this.calls.run(() => this.rehearseAll(services, signal), signal);
  }

  private async rehearseAll(services: readonly RehearsalSubject[], signal: AbortSignal): Promise<RehearsalReply> {
    const tried = await this.tryEachPort(services, signal);
    return {
      services: services.map(({ namespace, service, routes }) => ({
        namespace,
        service,
        routes: routes.map((route) => this.describe({ namespace, service, ...route }, tried.get({ namespace, service })?.get(route.port))),
      })),
    };
  }

  /** However often a port is asked for, and by however many routes, it is tried once. */
  private async tryEachPort(services: readonly RehearsalSubject[], signal: AbortSignal): Promise<ServiceMap<Map<number, Connects>>> {
    const tried = new ServiceMap<Map<number, Connects>>();
    const targets: ServicePort[] = [];
    for (const { namespace, service, routes } of services) {
      const ports = tried.get({ namespace, service }) ?? new Map<number, Connects>();
      tried.set({ namespace, service }, ports);
      for (const { port } of routes) {
        if (ports.has(port)) continue;
        ports.set(port, { connects: 'no pod' });
        targets.push({ namespace, service, port });
      }
    }
    await eachBounded(targets, async (target) => {
      const connects = await this.tryPods(target, signal);
      tried.get(target)?.set(target.port, connects);
    });
    return tried;
  }

  private describe(route: RouteAsked, { connects, problem }: Connects = { connects: 'no pod' }): RouteRehearsal {
    const { port, resolverPort } = route;
    const listening = this.dependencies.listeners.isListening(resolverPort, route);
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
    throw new RehearsalError('too large', `services has ${services.length} entries: ask for at most ${maxRehearsalSubjects} at once`);
  }
  const routes = services.reduce((sum, subject) => sum + subject.routes.length, 0);
  if (routes > maxRoutes) throw new RehearsalError('too large', `services have ${routes} routes: ask for at most ${maxRoutes} at once`);
}

async function eachBounded<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const runner = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: maxConcurrent }, runner));
}
