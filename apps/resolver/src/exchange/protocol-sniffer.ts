export type Protocol = 'http1' | 'h2' | 'raw';

/** Tells from the first bytes of a connection what it speaks. */
export interface ProtocolSniffer {
  /** `undefined` while the bytes fit more than one answer; it then gets the same bytes again, with more behind them, and decides within a few. */
  sniff(bytes: Uint8Array, length: number): Protocol | undefined;
  /** Asked when nothing has come for a moment behind such bytes: `undefined` where a slow HTTP client may have begun so. */
  sniffPaused(bytes: Uint8Array, length: number): 'raw' | undefined;
}
