import { untilAborted } from '@elasti/operator-kit';
import type { ResolverRequest, ResolverResponse, ResolverTransport } from './resolver-transport';

export type Reply = ResolverResponse | Error | 'silence' | Promise<ResolverResponse>;

/** Answers by a function instead of a network, and remembers what was asked. */
export class ScriptedTransport implements ResolverTransport {
  readonly requests: ResolverRequest[] = [];
  readonly kept: string[][] = [];
  closed = false;

  constructor(private readonly reply: (request: ResolverRequest) => Reply) {}

  async exchange(request: ResolverRequest, signal: AbortSignal): Promise<ResolverResponse> {
    this.requests.push(request);
    const reply = this.reply(request);
    if (reply instanceof Error) throw reply;
    return untilAborted(reply === 'silence' ? new Promise<never>(() => undefined) : Promise.resolve(reply), signal);
  }

  keepOnly(addresses: ReadonlySet<string>): void {
    this.kept.push([...addresses]);
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}

export function ok(body: unknown): ResolverResponse {
  return { statusCode: 200, body: JSON.stringify(body) };
}

export function networkError(code: string): Error {
  return Object.assign(new Error('connect failed'), { code });
}
