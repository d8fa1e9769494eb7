import { type Clock, withTimeout } from '@elasti/operator-kit';
import type { PrometheusServer } from './prometheus-server';
import { AnswerTooLargeError, type QueryAnswer, type QueryTransport } from './query-transport';
import { readSample } from './sample';
import { TriggerError } from './trigger-outcome';

/** One query to one server; two that are the same in all of this have the same answer. */
export interface InstantQuery {
  readonly server: PrometheusServer;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

const timeoutMs = 5_000;
/** One sample takes a few hundred bytes. */
const maxAnswerBytes = 1024 * 1024;

/** The kinds of error that the query API has; any other word in its place is not shown. */
const errorTypes = new Set(['timeout', 'canceled', 'execution', 'bad_data', 'internal', 'unavailable', 'not_found', 'not_acceptable']);

/** Asks Prometheus servers for single numbers; a query has 5 s. */
export class PrometheusClient {
  constructor(
    private readonly transport: QueryTransport,
    private readonly clock: Clock,
  ) {}

  /** @throws TriggerError, or the signal's reason when it fires */
  async ask({ server, query, headers }: InstantQuery, atMs: number, signal: AbortSignal): Promise<number> {
    const parameters = `query=${encodeURIComponent(query.toWellFormed())}&time=${encodeURIComponent(rfc3339(atMs))}`;
    const request = {
      origin: server.origin,
      path: `${server.basePath}/api/v1/query?${parameters}`,
      headers: { accept: 'application/json', ...headers },
      maxBytes: maxAnswerBytes,
    };
    const reason = () => new TriggerError('timeout', `${server.host} did not answer within ${timeoutMs / 1000} s`);
    const answer = await withTimeout({ clock: this.clock, timeoutMs, reason, signal }, (limited) =>
      this.transport.get(request, limited),
    ).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : transportError(server, error);
    });
    if (answer.statusCode !== 200) throw statusError(server, answer);
    return readSample(answer.body);
  }
}

function rfc3339(instantMs: number): string {
  return new Date(instantMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

function transportError({ host }: PrometheusServer, error: unknown): TriggerError {
  if (error instanceof TriggerError) return error;
  if (error instanceof AnswerTooLargeError) return new TriggerError('too large', `${host}: ${error.message}: put sum() around the query`);
  const { code } = error as NodeJS.ErrnoException;
  return new TriggerError('unreachable', `${host} cannot be reached${code ? ` (${code})` : ''}`, { cause: error });
}

function statusError({ host }: PrometheusServer, { statusCode, body }: QueryAnswer): TriggerError {
  const said = `${host} answered ${statusCode}`;
  if (statusCode >= 300 && statusCode < 400) {
    return new TriggerError('status', `${said}: redirects are not followed, so name the server it leads to`);
  }
  if (statusCode === 401 || statusCode === 403) {
    return new TriggerError('status', `${said}: set headers.Authorization, or allow this server to get the operator's own`);
  }
  const errorType = errorTypeOf(body);
  return new TriggerError('status', errorType === undefined ? said : `${said} (${errorType})`);
}

function errorTypeOf(body: string): string | undefined {
  try {
    const { errorType } = (JSON.parse(body) ?? {}) as { errorType?: unknown };
    return typeof errorType === 'string' && errorTypes.has(errorType) ? errorType : undefined;
  } catch {
    return undefined;
  }
}
