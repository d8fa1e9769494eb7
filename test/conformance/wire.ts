import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import type { KubeStatus } from '@elasti/operator-kit';
import { WatchStream } from './watch-stream';

export type Query = Record<string, string | number | boolean | undefined>;

export interface Call {
  query?: Query;
  /** Sent as it is when a string, else as JSON. */
  body?: unknown;
  contentType?: string;
  accept?: string;
}

/** What came back, before anybody interprets it: `body` for a success, `status` for a failure (they are the same JSON). */
export interface Answer<T> {
  code: number;
  body: T;
  status: KubeStatus;
  /** The texts of the Warning headers. */
  warnings: string[];
  contentType: string;
}

export interface ServerAddress {
  url: string;
  tls?: { ca?: string; cert?: string; key?: string; rejectUnauthorized?: boolean };
  token?: string;
}

/**
 * HTTP to the API server with nothing in between, for the cases in which the exact words on the wire matter.
 *
 * Failures are answers, not exceptions.
 */
export class Wire {
  private readonly agent: Agent;
  private readonly watches = new Set<WatchStream>();

  constructor(private readonly address: ServerAddress) {
    this.agent = new Agent({ connect: { ...address.tls }, headersTimeout: 60_000, bodyTimeout: 0 });
  }

  async call<T>(method: Dispatcher.HttpMethod, path: string, call: Call = {}): Promise<Answer<T>> {
    const { statusCode, headers, body } = await this.send(method, path, call);
    const text = await body.text();
    const parsed = parse(text);
    return {
      code: statusCode,
      body: parsed as T,
      status: parsed as KubeStatus,
      warnings: warningsIn(headers.warning),
      contentType: String(headers['content-type'] ?? ''),
    };
  }

  /** Resolves when the server has accepted the watch; `closeWatches` ends it. */
  async watch(path: string, { query, ...call }: Call = {}): Promise<WatchStream> {
    const abort = new AbortController();
    const { statusCode, body } = await this.send('GET', path, { ...call, query: { watch: true, ...query } }, abort.signal);
    const stream = new WatchStream(statusCode, body, abort);
    this.watches.add(stream);
    return stream;
  }

  async closeWatches(): Promise<void> {
    const open = [...this.watches];
    this.watches.clear();
    await Promise.all(open.map((stream) => stream.close()));
  }

  async close(): Promise<void> {
    await this.closeWatches();
    await this.agent.destroy();
  }

  private send(method: Dispatcher.HttpMethod, path: string, call: Call, signal?: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { query = {}, body, contentType = 'application/json', accept = 'application/json' } = call;
    const url = new URL(path, this.address.url);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    return request(url, {
      method,
      dispatcher: this.agent,
      signal,
      headers: {
        accept,
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...(this.address.token ? { authorization: `Bearer ${this.address.token}` } : {}),
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
  }
}

/** Some answers are plain text: `ok`, `404 page not found`. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function warningsIn(header: string | string[] | undefined): string[] {
  const lines = header === undefined ? [] : [header].flat();
  return lines.flatMap((line) =>
    [...line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => (text ?? '').replace(/\\(.)/g, '$1')),
  );
}
