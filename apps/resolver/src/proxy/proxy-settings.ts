/** The bounds of the hot path. */
export interface ProxySettings {
  /** From the first byte of a head to its end. */
  readonly headTimeoutMs: number;
  /** How long more is waited for behind first bytes that may be HTTP or not. */
  readonly sniffPauseMs: number;
  /** How long a client's connection may stay without a request. */
  readonly idleClientMs: number;
  /** How long a connection to a pod is kept without a request. */
  readonly idleUpstreamMs: number;
  readonly connectTimeoutMs: number;
  /** How long a connection that we close is still read, so that the client gets to see our last answer. */
  readonly lingerMs: number;
  /** As `idleClientMs`, once the process drains: what is on its way still comes and is answered. */
  readonly drainIdleMs: number;
  /**
   * How long a client may owe a byte of its body or leave its answer unread, and a pod leave a body untaken: never less, and at most
   * twice this.
   */
  readonly stalledClientMs: number;
  /** Idle connections to pods that are kept for `idleUpstreamMs`: altogether, and to one pod. */
  readonly maxIdleUpstreams: number;
  readonly maxIdlePerPod: number;
  /** How long those beyond these are kept. */
  readonly spareUpstreamMs: number;
  /** How fine the time limits are. */
  readonly tickMs: number;
}

export const DEFAULT_PROXY_SETTINGS: ProxySettings = Object.freeze({
  headTimeoutMs: 15_000,
  sniffPauseMs: 1_000,
  idleClientMs: 75_000,
  idleUpstreamMs: 60_000,
  connectTimeoutMs: 3_000,
  lingerMs: 2_000,
  drainIdleMs: 3_000,
  stalledClientMs: 300_000,
  maxIdleUpstreams: 1_024,
  maxIdlePerPod: 256,
  spareUpstreamMs: 1_000,
  tickMs: 250,
});

/** A request that must not be sent twice takes a kept connection only when it was in use this recently: an older one may be closing. */
export const FRESH_UPSTREAM_MS = 1_000;

/** How much of a body is kept to send it once more, and how much is held before the client is no longer read. */
export const HELD_BODY_BYTES = 64 * 1024;

/** All that is ever kept of a client's bytes: a body, and one more read that goes beyond it. */
export const KEPT_LIMIT_BYTES = 1.5 * HELD_BODY_BYTES;
