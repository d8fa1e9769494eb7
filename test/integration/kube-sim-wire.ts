import type { KubeSim } from '@elasti/kube-sim';

export interface Status {
  code?: number;
  reason?: string;
  message?: string;
}

export interface Body extends Status {
  kind?: string;
  metadata: { name?: string; resourceVersion?: string; continue?: string; annotations?: Record<string, string>; uid?: string };
  items?: Body[];
  status?: unknown;
}

export interface Answer {
  readonly code: number;
  readonly headers: Headers;
  readonly body: Body;
}

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** One request with a JSON body, as any HTTP client would send it. */
export async function call(
  sim: KubeSim,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(sim.url + path, {
    method,
    headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { code: response.status, headers: response.headers, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Body };
}

export const configMap = (name: string, labels: Record<string, string> = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
});

export interface WatchEvent {
  readonly type: string;
  readonly object: Body;
}

/** A watch over fetch: events in order, and an end that tells a clean close from a cut. */
export class Watch {
  private readonly abort = new AbortController();
  private readonly lines: AsyncGenerator<WatchEvent>;

  constructor(sim: KubeSim, query: string, path = CONFIG_MAPS) {
    this.lines = read(fetch(`${sim.url}${path}?watch=true&${query}`, { signal: this.abort.signal }));
  }

  /** The next event; undefined once the server closed the stream in peace. */
  async next(): Promise<WatchEvent | undefined> {
    const { value, done } = await this.lines.next();
    return done ? undefined : value;
  }

  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (let index = 0; index < count; index++) {
      const event = await this.next();
      if (event) events.push(event);
    }
    return events;
  }

  stop(): void {
    this.abort.abort();
  }
}

async function* read(pending: Promise<Response>): AsyncGenerator<WatchEvent> {
  const response = await pending;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as WatchEvent;
  }
}

export const summary = (events: readonly WatchEvent[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim());
