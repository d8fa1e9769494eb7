import type { ResolverPod } from './resolver-pod';

export interface ResolverRequest {
  readonly pod: Pick<ResolverPod, 'address' | 'family'>;
  readonly port: number;
  readonly method: 'GET' | 'POST';
  /** With the query string. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  readonly maxBytes: number;
}

export interface ResolverResponse {
  readonly statusCode: number;
  readonly body: string;
}

/**
 * Carries one question to one pod and the whole answer back, whatever its status; follows no redirect.
 *
 * Rejects with the signal's reason as soon as it fires, and with a ResolverAnswerError instead of holding more than `maxBytes`.
 */
export interface ResolverTransport {
  exchange(request: ResolverRequest, signal: AbortSignal): Promise<ResolverResponse>;
  /** Cuts off everything to any other address. */
  keepOnly(addresses: ReadonlySet<string>): void;
  /** Cuts off everything and leaves no socket open. */
  close(): Promise<void>;
}
