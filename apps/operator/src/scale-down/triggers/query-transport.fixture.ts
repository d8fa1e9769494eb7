import type { QueryAnswer, QueryRequest, QueryTransport } from './query-transport';

export type Reply = QueryAnswer | Error | 'silence' | Promise<QueryAnswer>;

/** Answers queries by a function instead of a network, and remembers what was asked. */
export class ScriptedTransport implements QueryTransport {
  readonly requests: QueryRequest[] = [];
  open = 0;
  mostOpen = 0;

  constructor(private readonly reply: (query: string, request: QueryRequest) => Reply) {}

  /** The PromQL of all requests, in order. */
  get queries(): string[] {
    return this.requests.map(queryOf);
  }

  async get(request: QueryRequest, signal: AbortSignal): Promise<QueryAnswer> {
    this.requests.push(request);
    this.mostOpen = Math.max(this.mostOpen, ++this.open);
    try {
      return await this.replyTo(request, signal);
    } finally {
      this.open--;
    }
  }

  private async replyTo(request: QueryRequest, signal: AbortSignal): Promise<QueryAnswer> {
    const reply = this.reply(queryOf(request), request);
    if (reply instanceof Error) throw reply;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    return Promise.race([aborted, ...(reply === 'silence' ? [] : [reply])]);
  }
}

export function sample(value: number | string): QueryAnswer {
  const result = [{ metric: {}, value: [1_700_000_000, String(value)] }];
  return { statusCode: 200, body: JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }) };
}

export const isHealthQuery = (query: string): boolean => query.startsWith('min_over_time(');

function queryOf({ path }: QueryRequest): string {
  return new URLSearchParams(path.slice(path.indexOf('?'))).get('query') ?? '';
}
