export type { GateConfig } from './gate.config';
export type { GateDependencies, GateObserver, HoldEnd } from './gate-dependencies';
export { HoldingGate, type SeenActivity } from './holding-gate';
export type { Held } from './service-gate';
export { TurnClock } from './turn-clock';
export type { Holder, Ticket } from './waiter';
