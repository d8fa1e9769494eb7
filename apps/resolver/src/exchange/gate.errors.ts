import type { ServicePort } from './service-port';

export type GateRefusal = 'queue full' | 'timed out' | 'not waking' | 'unknown';

/** The status that answers each refusal. */
export const GATE_STATUS: Readonly<Record<GateRefusal, 404 | 503 | 504>> = {
  'queue full': 503,
  'timed out': 504,
  'not waking': 503,
  unknown: 404,
};

/** An exchange that gets no pod. `detail` says what was waited for, in words fit for the client. */
export class GateError extends Error {
  override readonly name = 'GateError';

  constructor(
    readonly reason: GateRefusal,
    readonly target: ServicePort,
    readonly detail: string,
    readonly retryAfterSeconds?: number,
  ) {
    super(`${target.namespace}/${target.service}:${target.port}: ${reason}: ${detail}`);
  }

  get status(): 404 | 503 | 504 {
    return GATE_STATUS[this.reason];
  }
}
