export type { ExchangeListener, ExchangePolicy, OwnAnswer, RequestView } from './exchange-policy';
export type { Gate, HoldRequest, LeaseOutcome, PodLease } from './gate';
export { GATE_STATUS, GateError } from './gate.errors';
export type { GateRefusal } from './gate.errors';
export type { Protocol, ProtocolSniffer } from './protocol-sniffer';
export type { ServicePort } from './service-port';
