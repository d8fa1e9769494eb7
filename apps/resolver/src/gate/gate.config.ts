/** How much is held, and for how long; an ElastiService may say otherwise for its own Services. */
export interface GateConfig {
  /** Until a held request is answered with 504. */
  readonly requestTimeoutMs: number;
  /** Requests held for all Services together. */
  readonly maxRequests: number;
  /** Bytes held for all Services together. */
  readonly maxBytes: number;
  readonly maxRequestsPerService: number;
  readonly maxBytesPerService: number;
  /** In flight on a pod that has just become ready, while held requests are let go. */
  readonly maxConcurrencyPerFreshPod: number;
}
