import { untilAborted } from '@elasti/operator-kit';
import { type Dispatcher, Pool } from 'undici';
import { ResolverAnswerError } from './resolver.errors';
import type { ResolverRequest, ResolverResponse, ResolverTransport } from './resolver-transport';

/** undici does not let go of a connection that is being made when its request is aborted, so this ends it. */
const connectTimeoutMs = 2_000;
const connectionsPerPod = 4;

/** Real connections, a few for each pod, kept as long as the pod lets them and is there. */
export class UndiciResolverTransport implements ResolverTransport {
  private readonly pools = new Map<string, { readonly address: string; readonly pool: Pool }>();
  private readonly ending = new Set<Promise<void>>();
  private closed = false;

  exchange(request: ResolverRequest, signal: AbortSignal): Promise<ResolverResponse> {
    return untilAborted(this.send(request, signal), signal);
  }

  keepOnly(addresses: ReadonlySet<string>): void {
    for (const [origin, { address, pool }] of this.pools) {
      if (addresses.has(address)) continue;
      this.pools.delete(origin);
      const ended = pool.destroy().finally(() => this.ending.delete(ended));
      this.ending.add(ended);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.keepOnly(new Set());
    await Promise.all(this.ending);
  }

  private async send({ pod, port, method, path, body, maxBytes }: ResolverRequest, signal: AbortSignal): Promise<ResolverResponse> {
    const pool = this.poolOf(pod, port);
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
    const response = await pool.request({ method, path, headers, body, signal });
    return { statusCode: response.statusCode, body: await readAll(response.body, maxBytes) };
  }

  /** @throws when closed */
  private poolOf({ address, family }: ResolverRequest['pod'], port: number): Pool {
    if (this.closed) throw new Error('the connections to the resolvers are closed');
    const origin = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    let entry = this.pools.get(origin);
    if (!entry) {
      // The caller has a limit for the whole call.
      const settings = { connections: connectionsPerPod, headersTimeout: 0, bodyTimeout: 0, allowH2: false };
      entry = { address, pool: new Pool(origin, { ...settings, connect: { timeout: connectTimeoutMs } }) };
      this.pools.set(origin, entry);
    }
    return entry.pool;
  }
}

async function readAll(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop destroys the stream and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ResolverAnswerError(`the body must be at most ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
}
