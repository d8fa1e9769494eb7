import { untilAborted } from '@elasti/operator-kit';
import { Agent } from 'undici';
import type { ServiceRef } from '../directory';
import type { TokenFile } from './token-file';
import type { WakeAnswer, WakeCall } from './wake-call';

export interface OperatorAddress {
  readonly serviceName: string;
  readonly namespace: string;
  readonly clusterDomain: string;
  readonly port: number;
}

const path = '/informer/incoming-request';
const connectTimeoutMs = 3_000;
/** An answer is a sentence; more is not read. */
const maxAnswerBytes = 16_384;

export function operatorOrigin({ serviceName, namespace, clusterDomain, port }: OperatorAddress): string {
  return `http://${serviceName}.${namespace}.svc.${clusterDomain}:${port}`;
}

/** Wake calls over real connections, with the token when there is one. Call `close` to leave no socket behind. */
export class HttpWakeCall implements WakeCall {
  private readonly agent: Agent;

  constructor(
    private readonly origin: string,
    private readonly token: TokenFile | undefined,
    { connections }: { connections: number },
  ) {
    // The caller has a limit for the whole call. A connection is not kept for long: the operator's replicas come and go behind one name.
    this.agent = new Agent({
      connections,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 10_000,
      connect: { timeout: connectTimeoutMs },
    });
  }

  send(service: ServiceRef, count: number, signal: AbortSignal): Promise<WakeAnswer> {
    return untilAborted(this.post(service, count, signal), signal);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async post({ namespace, service }: ServiceRef, count: number, signal: AbortSignal): Promise<WakeAnswer> {
    const token = await this.token?.current();
    const { statusCode, headers, body } = await this.agent.request({
      origin: this.origin,
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ count, svc: service, namespace }),
      signal,
    });
    await body.dump({ limit: maxAnswerBytes });
    if (statusCode === 401) this.token?.forget();
    return { status: statusCode, retryAfterMs: parseRetryAfter(headers['retry-after']) };
  }
}

/** In seconds; a date would need two clocks to agree. */
export function parseRetryAfter(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,6}$/.test(value.trim()) ? Number(value) * 1_000 : undefined;
}
