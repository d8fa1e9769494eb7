export type { ExchangeListener, ExchangePolicy, OwnAnswer, Rejection, RequestView } from './exchange-policy';
export type { Gate, Held, Holder, LeaseOutcome, PodLease, Ticket, WaitedFor } from './gate';
export { GateError } from './gate.errors';
export type { GateRefusal } from './gate.errors';
export { readyToSentMs } from './hold-moments';
export type { HoldMoments } from './hold-moments';
export type { Protocol, ProtocolSniffer } from './protocol-sniffer';
export { serverTiming, TIMING_FIELD } from './server-timing';
export type { ServicePort } from './service-port';
