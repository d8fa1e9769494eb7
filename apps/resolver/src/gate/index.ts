export type { GateConfig } from './gate.config';
export type { HoldEnd } from './gate-dependencies';
export { HoldingGate, type SeenActivity } from './holding-gate';
export { keyOfService } from './service-lanes';
export { TurnClock } from './turn-clock';
