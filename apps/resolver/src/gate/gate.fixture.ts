import { ElastiService } from '@elasti/api';
import { EndpointSlice, Service } from '@elasti/operator-kit';
import { FakeCaches, FakeClock } from '@elasti/operator-kit/testing';
import { ServiceDirectory } from '../directory';
import { anElastiService, type ElastiServiceDraft } from '../directory/elasti-service.fixture';
import { PrivateServices, ReadyPods } from '../endpoints';
import { aPrivateService, aSlice } from '../endpoints/endpoints.fixture';
import type { GateError, GateRefusal, Held, Holder, PodLease, ServicePort, Ticket } from '../exchange';
import type { WakeDemand, Waker } from '../wake';
import type { GateConfig } from './gate.config';
import type { GateObserver, HoldEnd } from './gate-dependencies';
import { HoldingGate } from './holding-gate';

export const web: ServicePort = { namespace: 'shop', service: 'web', port: 80 };

const config: GateConfig = {
  requestTimeoutMs: 600_000,
  maxRequests: 50_000,
  maxBytes: 1_000_000_000,
  maxRequestsPerService: 50_000,
  maxBytesPerService: 100_000_000,
  maxConcurrencyPerFreshPod: 100,
};

class FakeWaker implements Waker {
  readonly wanted = new Set<WakeDemand>();

  want(demand: WakeDemand): void {
    if (this.wanted.has(demand)) throw new Error('wanted twice');
    this.wanted.add(demand);
  }

  satisfied(demand: WakeDemand): void {
    if (!this.wanted.delete(demand)) throw new Error('was not wanted');
  }
}

/** A request that somebody holds on to, and what became of it. */
export class Attempt implements Holder {
  lease: PodLease | undefined;
  error: unknown;
  private readonly ticket: Ticket | undefined;

  constructor(
    gate: HoldingGate,
    target: ServicePort,
    held: Partial<Held>,
    readonly exchanges?: number,
  ) {
    this.ticket = gate.hold(target, { bytesHeld: 100, ...held }, this);
  }

  entered(lease: PodLease): void {
    this.lease = lease;
    if (this.exchanges !== undefined) lease.touch?.(this.exchanges);
  }

  refused(error: GateError): void {
    this.error = error;
  }

  leave(): void {
    this.ticket?.leave();
    if (this.state === 'held') this.error = new Error('the client left');
  }

  get state(): 'held' | 'entered' | 'failed' {
    if (this.lease) return 'entered';
    return this.error === undefined ? 'held' : 'failed';
  }
}

/** A gate on fake caches; a Service `web` with port 80 (`http`) and 9090 (`metrics`) that nobody has woken. */
export class GateBench {
  readonly clock = new FakeClock();
  readonly caches = new FakeCaches();
  readonly waker = new FakeWaker();
  readonly ends: HoldEnd[] = [];
  readonly refusals: GateRefusal[] = [];
  readonly gate: HoldingGate;

  constructor(overrides: Partial<GateConfig> = {}, draft: ElastiServiceDraft = {}) {
    const directory = new ServiceDirectory(this.caches);
    const services = new PrivateServices(this.caches);
    const pods = new ReadyPods(this.caches, services);
    const observer: GateObserver = {
      ended: (_service, end) => void this.ends.push(end),
      refused: (_service, reason) => void this.refusals.push(reason),
    };
    this.gate = new HoldingGate({ ...config, ...overrides }, { directory, services, pods, waker: this.waker, clock: this.clock, observer });
    this.know(draft);
    this.exposePorts();
  }

  know(draft: ElastiServiceDraft): void {
    this.caches.of(ElastiService).put(anElastiService(draft));
  }

  forget(): void {
    this.caches.of(ElastiService).remove({ namespace: 'shop', name: 'web' });
  }

  exposePorts(ports: Record<string, number> = { http: 80, metrics: 9090 }): void {
    const list = Object.entries(ports).map(([name, port]) => ({ name, port, protocol: 'TCP' }));
    this.caches.of(Service).put(aPrivateService({ ports: list }));
  }

  hidePorts(): void {
    this.caches.of(Service).remove({ namespace: 'shop', name: 'elasti-web-pvt-0123456789' });
  }

  /** From now on just these pods are ready. */
  ready(...pods: string[]): void {
    const ports = [
      { name: 'http', port: 8080, protocol: 'TCP' },
      { name: 'metrics', port: 8081, protocol: 'TCP' },
    ];
    const drafts = pods.map((pod, index) => ({ pod, address: `10.0.0.${index + 1}` }));
    this.caches.of(EndpointSlice).put(aSlice(drafts, { ports }));
  }

  enter(request: Partial<Held> = {}, target: ServicePort = web): Attempt {
    return new Attempt(this.gate, target, request);
  }

  /** One that brings others along, as a connection of HTTP/2 does. */
  enterWith(exchanges: number, request: Partial<Held> = {}): Attempt {
    return new Attempt(this.gate, web, request, exchanges);
  }

  get wakes(): string[] {
    return [...this.waker.wanted].map(({ namespace, service, held }) => `${namespace}/${service} ${held}`);
  }
}
