import type { Clock } from '@elasti/operator-kit';
import type { ServiceDirectory, ServiceRef } from '../directory';
import type { PrivateServices, ReadyPods } from '../endpoints';
import type { GateRefusal } from '../exchange';
import type { Waker } from '../wake';

export type HoldEnd = 'entered' | 'left' | GateRefusal;

/** Hears how every wait ended, and of everyone who is turned away. */
export interface GateObserver {
  ended(service: ServiceRef, end: HoldEnd, heldMs: number): void;
  /** One was turned away, at once or after it had waited. */
  refused?(service: ServiceRef, reason: GateRefusal): void;
}

export interface GateDependencies {
  readonly directory: Pick<ServiceDirectory, 'find' | 'watch'>;
  readonly services: Pick<PrivateServices, 'find' | 'watch'>;
  readonly pods: Pick<ReadyPods, 'of' | 'watch'>;
  readonly waker: Waker;
  readonly clock: Clock;
  readonly observer?: GateObserver;
}
