import { isWakingPort, type KnownService, type ServiceRef } from '../directory';
import type { ReadyPod, ServiceFacts } from '../endpoints';
import { Lane, type Place } from './lane';
import { PodLoad } from './pod-load';
import { PodLoads } from './pod-loads';

export interface ServiceState {
  readonly known: KnownService | undefined;
  readonly facts: ServiceFacts | undefined;
  readonly pods: readonly ReadyPod[];
}

/** Stands for all pods of a Service where requests go through it: `forward: service`. */
export function keyOfService({ namespace, service }: ServiceRef): string {
  return `service ${namespace}/${service}`;
}

/**
 * The ports of one Service and where a request to each may go, as of the last `update`.
 *
 * What was known of a Service that is gone is kept: requests that still come for it are served as long as its pods are.
 */
export class ServiceLanes {
  private readonly lanes = new Map<number, Lane>();
  private readonly loads = new PodLoads();
  private readonly serviceLoad: PodLoad;
  private podLoads: readonly PodLoad[] = [];
  private pods: readonly ReadyPod[] = [];
  private facts: ServiceFacts | undefined;
  private known: KnownService | undefined;

  constructor(ref: ServiceRef) {
    this.serviceLoad = new PodLoad(keyOfService(ref), 0);
  }

  get readyPods(): number {
    return this.pods.length;
  }

  get hasPods(): boolean {
    return this.readyPods > 0;
  }

  /** Takes in how things are now; gives the lanes that turned out to lead nowhere. */
  update({ known, facts, pods }: ServiceState, nowMs: number): Lane[] {
    this.known = known ?? this.known;
    this.facts = facts ?? this.facts;
    if (pods !== this.pods) {
      if (!this.hasPods) this.serviceLoad.renew(nowMs);
      this.podLoads = this.loads.update(pods, nowMs);
      this.serviceLoad.weight = pods.length;
      this.pods = pods;
    }
    return [...this.lanes.values()].filter((lane) => this.isGone(lane));
  }

  /** The lane of this port; `undefined` when the Service has no such port. One that nobody can tell yet is kept only by `keep`. */
  find(port: number): Lane | undefined {
    const lane = this.lanes.get(port);
    if (lane) return lane;
    if (this.facts && !this.facts.ports.has(port)) return undefined;
    const found = new Lane(port);
    this.fill(found);
    if (this.facts) this.lanes.set(port, found);
    return found;
  }

  keep(lane: Lane): void {
    this.lanes.set(lane.port, lane);
  }

  /** Without the private Service any number may be asked for, so such lanes last no longer than somebody waits there. */
  release(lane: Lane): void {
    if (!this.facts && !lane.waiters.oldest) this.lanes.delete(lane.port);
  }

  forgetIfIdle(load: PodLoad): void {
    this.loads.forgetIfIdle(load);
  }

  [Symbol.iterator](): Iterator<Lane> {
    return this.lanes.values();
  }

  /** Those where somebody waits and a pod is there. */
  withWaiters(): Lane[] {
    const found: Lane[] = [];
    for (const lane of this.lanes.values()) if (lane.waiters.oldest && lane.places.length > 0) found.push(lane);
    return found;
  }

  private isGone(lane: Lane): boolean {
    if (this.facts && !this.facts.ports.has(lane.port)) return this.lanes.delete(lane.port);
    this.fill(lane);
    return false;
  }

  private fill(lane: Lane): void {
    const name = this.facts?.ports.get(lane.port)?.name;
    lane.wakes = name === undefined || !this.known || isWakingPort(this.known, name);
    lane.places = name === undefined ? [] : this.placesOf(lane.port, name);
  }

  private placesOf(port: number, name: string): Place[] {
    if (this.known?.forward === 'service') return this.throughTheService(port);
    return this.pods.flatMap(({ address, ports }, index) => {
      const load = this.podLoads[index];
      const podPort = ports.get(name);
      return load && podPort !== undefined ? [{ load, address, port: podPort }] : [];
    });
  }

  private throughTheService(port: number): Place[] {
    const clusterIP = this.facts?.clusterIP;
    return clusterIP !== undefined && this.hasPods ? [{ load: this.serviceLoad, address: clusterIP, port }] : [];
  }
}
