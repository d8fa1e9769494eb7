export type { GateConfig } from './gate.config';
export type { GateDependencies, GateObserver, HoldEnd } from './gate-dependencies';
export { HoldingGate, type SeenActivity } from './holding-gate';
export type { TimedHoldRequest } from './service-gate';
