import { untilAborted } from '@elasti/operator-kit';
import { Agent, type Dispatcher } from 'undici';
import { AnswerTooLargeError, type QueryAnswer, type QueryRequest, type QueryTransport } from './query-transport';

/** undici does not let go of a connection that is being made when its request is aborted, so this ends it. */
const connectTimeoutMs = 5_000;

/**
 * Queries over real connections, kept for the length of a round: until the next, most servers would have closed them.
 *
 * Call `close` to leave no socket behind.
 */
export class UndiciTransport implements QueryTransport {
  private readonly agent: Agent;

  constructor({ connectionsPerServer }: { connectionsPerServer: number }) {
    const connect = { timeout: connectTimeoutMs };
    // The caller has a limit for the whole query.
    this.agent = new Agent({ connections: connectionsPerServer, headersTimeout: 0, bodyTimeout: 0, allowH2: false, connect });
  }

  get(request: QueryRequest, signal: AbortSignal): Promise<QueryAnswer> {
    return untilAborted(this.exchange(request, signal), signal);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async exchange({ origin, path, headers, maxBytes }: QueryRequest, signal: AbortSignal): Promise<QueryAnswer> {
    const { statusCode, body } = await this.agent.request({ origin, path, method: 'GET', headers: { ...headers }, signal });
    return { statusCode, body: await readAll(body, maxBytes) };
  }
}

async function readAll(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop destroys the stream and with it the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new AnswerTooLargeError(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString('utf8');
}
