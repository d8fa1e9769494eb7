import type { ServiceRef } from '../directory';

export interface WakeAnswer {
  readonly status: number;
  /** How long the operator asks to be left alone. */
  readonly retryAfterMs?: number;
}

/** Asks the operator once to wake a Service for `count` requests. Rejects when there is no answer, and with the signal's reason. */
export interface WakeCall {
  send(service: ServiceRef, count: number, signal: AbortSignal): Promise<WakeAnswer>;
}
