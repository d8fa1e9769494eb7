import type { Dispatcher } from 'undici';
import { type Clock, sleep } from '../clock';
import type { Logger } from '../logging';
import type { KitMetrics } from '../metrics';
import { answerError, retryDelayMs } from './answer';
import type { ConnectionPools } from './connection-pools';
import type { Credential, CredentialSource } from './credential';
import { type Answer, type AnswerHeaders, Exchange, UnansweredError } from './exchange';
import { TransportError } from './kube.errors';
import type { KubeObject } from './kube-object';
import { WatchStream } from './watch-stream';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deletecollection';

export interface KubeRequest {
  method: HttpMethod;
  verb: Verb;
  path: string;
  query?: string;
  body?: unknown;
  /** `application/json` unless said otherwise. */
  contentType?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface TransportSettings {
  origin: string;
  /** Comes before every path, for servers behind a proxy. */
  pathPrefix: string;
  userAgent: string;
  timeoutMs: number;
  maxResponseBytes: number;
  maxEventBytes: number;
}

export interface TransportParts {
  pools: ConnectionPools;
  credentials: CredentialSource;
  clock: Clock;
  logger: Logger;
  metrics?: KitMetrics;
}

const maxThrottledRetries = 10;

/**
 * Sends requests to one API server, and knows which failures a second try may cure.
 *
 * 401: once, with fresh credentials. 429: after the delay the server asks for, for every method since a throttled request was not executed,
 * at most 10 times and never past the call's timeout. A connection that died before a GET was answered: once. Everything else is the caller's.
 */
export class Transport {
  constructor(
    private readonly settings: TransportSettings,
    private readonly parts: TransportParts,
  ) {}

  /** The parsed answer; undefined when it is empty. */
  async send(request: KubeRequest): Promise<unknown> {
    const answer = await this.answerTo(request, new Deadline(this.parts.clock, request.timeoutMs ?? this.settings.timeoutMs));
    return answer.body === '' ? undefined : parseAnswer(request, answer.body);
  }

  /**
   * Opens a stream of events. The timeout covers the time until the server answers.
   *
   * A throttled watch is not tried again here: whoever resumes watches has a backoff for that.
   */
  async open<T extends KubeObject>(request: KubeRequest): Promise<WatchStream<T>> {
    let credential = await this.credential(request);
    for (let refreshed = false, reconnected = false; ;) {
      const { stream, answer } = await this.openOnce<T>(request, credential);
      if ('error' in answer) {
        if (!(answer.error instanceof UnansweredError) || reconnected) throw transportError(request, answer.error);
        reconnected = true;
      } else if (answer.statusCode < 300) {
        return stream;
      } else {
        const body = await stream.text();
        if (answer.statusCode !== 401 || refreshed)
          throw answerError(answer.statusCode, answer.headers, body, describe(request), this.parts.clock);
        refreshed = true;
        credential = await this.refresh(request);
      }
    }
  }

  close(): Promise<void> {
    return this.parts.pools.close();
  }

  private async answerTo(request: KubeRequest, deadline: Deadline): Promise<Answer> {
    let credential = await this.credential(request);
    for (let refreshed = false, reconnected = false, throttled = 0; ;) {
      const answer = await this.exchange(request, credential, deadline);
      if (answer instanceof UnansweredError) {
        if (request.method !== 'GET' || reconnected) throw transportError(request, answer);
        reconnected = true;
      } else if (answer.statusCode < 300) {
        return answer;
      } else if (answer.statusCode === 401 && !refreshed) {
        refreshed = true;
        credential = await this.refresh(request);
      } else {
        const error = answerError(answer.statusCode, answer.headers, answer.body, describe(request), this.parts.clock);
        const delayMs = retryDelayMs(error);
        if (delayMs === undefined || ++throttled > maxThrottledRetries || delayMs >= deadline.leftMs) throw error;
        this.parts.logger.debug('throttled by the api server', { verb: request.verb, delayMs, retry: throttled });
        await sleep(this.parts.clock, delayMs, request.signal);
      }
    }
  }

  /** Only a connection that died unanswered is returned as an error: all others are final. */
  private async exchange(request: KubeRequest, credential: Credential, deadline: Deadline): Promise<Answer | UnansweredError> {
    request.signal?.throwIfAborted();
    const limits = new Limits(this.parts.clock, deadline.leftMs, request.signal);
    try {
      const pool = this.parts.pools.for('requests', credential.tls);
      const options = this.dispatchOptions(request, credential);
      const answer = await Exchange.run(pool, options, this.settings.maxResponseBytes, (abort) => limits.watch(abort));
      this.count(request, String(answer.statusCode));
      return answer;
    } catch (error) {
      this.count(request, '<error>');
      if (error instanceof UnansweredError) return error;
      throw limits.isAbort(error) ? error : transportError(request, error);
    } finally {
      limits.clear();
    }
  }

  private async openOnce<T extends KubeObject>(request: KubeRequest, credential: Credential): Promise<OpenedStream<T>> {
    request.signal?.throwIfAborted();
    const limits = new Limits(this.parts.clock, request.timeoutMs ?? this.settings.timeoutMs, request.signal);
    try {
      const pool = this.parts.pools.for('streams', credential.tls);
      const opened = await new Promise<OpenedStream<T>>((resolve, reject) => {
        const stream = new WatchStream<T>(describe(request), this.settings.maxEventBytes, (answer) => resolve({ stream, answer }));
        limits.watch((reason) => {
          stream.abort(reason);
          reject(reason);
        });
        pool.dispatch(this.dispatchOptions(request, credential), stream);
      });
      this.count(request, 'error' in opened.answer ? '<error>' : String(opened.answer.statusCode));
      return opened;
    } catch (error) {
      this.count(request, '<error>');
      throw limits.isAbort(error) ? error : transportError(request, error);
    } finally {
      limits.clear();
    }
  }

  private dispatchOptions(request: KubeRequest, credential: Credential): Dispatcher.DispatchOptions {
    const { settings } = this;
    const headers = ['accept', 'application/json', 'user-agent', settings.userAgent, ...credential.headers];
    if (request.body !== undefined) headers.push('content-type', request.contentType ?? 'application/json');
    return {
      origin: settings.origin,
      method: request.method,
      path: settings.pathPrefix + request.path + (request.query ?? ''),
      headers,
      body: request.body === undefined ? null : JSON.stringify(request.body),
    };
  }

  private async credential(request: KubeRequest): Promise<Credential> {
    try {
      return await this.parts.credentials.current();
    } catch (error) {
      throw transportError(request, error);
    }
  }

  private async refresh(request: KubeRequest): Promise<Credential> {
    this.parts.logger.debug('credentials refused, reading them again', { verb: request.verb });
    try {
      return await this.parts.credentials.refresh();
    } catch (error) {
      throw transportError(request, error);
    }
  }

  private count(request: KubeRequest, code: string): void {
    this.parts.metrics?.clientRequests.inc({ verb: request.verb, code });
  }
}

interface OpenedStream<T extends KubeObject> {
  stream: WatchStream<T>;
  answer: { statusCode: number; headers: AnswerHeaders } | { error: unknown };
}

/** The moment by which a whole call, retries included, must be over. */
class Deadline {
  private readonly endMs: number;

  constructor(
    private readonly clock: Clock,
    timeoutMs: number,
  ) {
    this.endMs = clock.monotonic() + timeoutMs;
  }

  get leftMs(): number {
    return this.endMs - this.clock.monotonic();
  }
}

/** Cuts one attempt off when its time is over or its caller gives up. */
class Limits {
  private abort: ((reason: Error) => void) | undefined;
  private readonly timer;
  private readonly onAbort = () => this.abort?.(this.signal?.reason as Error);

  constructor(
    clock: Clock,
    private readonly timeoutMs: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.timer = clock.after(timeoutMs, () => this.abort?.(new Error(`no answer within ${Math.round(this.timeoutMs)} ms`)));
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  watch(abort: (reason: Error) => void): void {
    this.abort = abort;
  }

  isAbort(error: unknown): boolean {
    return this.signal?.aborted === true && error === this.signal.reason;
  }

  clear(): void {
    this.timer.cancel();
    this.signal?.removeEventListener('abort', this.onAbort);
  }
}

/** Without the query, which may carry selectors and tokens. */
function describe(request: KubeRequest): string {
  return `${request.method} ${request.path}`;
}

function transportError(request: KubeRequest, cause: unknown): TransportError {
  return new TransportError(describe(request), { cause });
}

function parseAnswer(request: KubeRequest, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // The parser's own message quotes the body.
    throw transportError(request, new Error('the answer is not JSON: is this address really an API server?'));
  }
}
