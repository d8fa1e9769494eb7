import type { Dispatcher } from 'undici';
import { type Clock, sleep } from '../clock';
import type { Logger } from '../logging';
import type { KitMetrics } from '../metrics';
import { answerError, retryDelayMs } from './answer';
import { CallLimits, Deadline } from './call-limits';
import type { ConnectionPools } from './connection-pools';
import type { Credential, CredentialSource } from './credential';
import { type Answer, Exchange, UnansweredError } from './exchange';
import { type KubeApiError, TransportError } from './kube.errors';
import type { KubeObject } from './kube-object';
import { WatchStream } from './watch-stream';
import { withoutManagedFields } from './without-managed-fields';

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
  /** The body of a good answer is dropped as it comes. */
  answer?: 'unread';
  /** For watches: as WatchOptions say. */
  managedFields?: 'omit';
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
  metrics: KitMetrics;
}

const maxThrottledRetries = 10;
/** A Status is far smaller; a page of a proxy is cut anyway. */
const maxErrorLength = 64 * 1024;

/**
 * Sends requests to one API server, and knows which failures a second try may cure.
 *
 * 401: once, with fresh credentials. 429: after the delay the server asks for, for every method since a throttled request was not executed,
 * at most 10 times and never past the call's timeout. A connection that died before a GET was answered: once. Everything else is the caller's.
 */
export class Transport {
  private readonly closing = new AbortController();

  constructor(
    private readonly settings: TransportSettings,
    private readonly parts: TransportParts,
  ) {}

  get metrics(): KitMetrics {
    return this.parts.metrics;
  }

  /** The parsed answer; undefined when it is empty or nobody reads it. */
  async send(request: KubeRequest): Promise<unknown> {
    const answer = await this.answerTo(request, this.deadlineOf(request));
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
      const opened = await this.openOnce<T>(request, credential);
      if (opened instanceof WatchStream) return opened;
      if (opened instanceof UnansweredError) {
        if (reconnected) throw transportError(request, opened);
        reconnected = true;
      } else {
        if (opened.statusCode !== 401 || refreshed) throw this.answerError(request, opened);
        refreshed = true;
        credential = await this.refresh(request);
      }
    }
  }

  close(): Promise<void> {
    this.closing.abort(new Error('the client is closed'));
    return this.parts.pools.close();
  }

  private deadlineOf({ timeoutMs }: KubeRequest): Deadline {
    return new Deadline(this.parts.clock, timeoutMs ?? this.settings.timeoutMs);
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
        const error = this.answerError(request, answer);
        const delayMs = retryDelayMs(error);
        if (delayMs === undefined || ++throttled > maxThrottledRetries || delayMs >= deadline.leftMs) throw error;
        this.parts.logger.debug('throttled by the api server', { verb: request.verb, delayMs, retry: throttled });
        await this.pause(request, delayMs);
      }
    }
  }

  /** Only a connection that died unanswered is returned as an error: all others are final. */
  private async exchange(request: KubeRequest, credential: Credential, deadline: Deadline): Promise<Answer | UnansweredError> {
    request.signal?.throwIfAborted();
    const limits = new CallLimits(this.parts.clock, deadline, request.signal);
    try {
      const pool = this.parts.pools.for('requests', credential.tls);
      const options = this.dispatchOptions(request, credential);
      const reading = { maxBytes: this.settings.maxResponseBytes, body: request.answer ?? 'read' } as const;
      const answer = await Exchange.run(pool, options, reading, (abort) => limits.watch(abort));
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

  /** As `exchange`, but a good answer is a stream to read from. */
  private async openOnce<T extends KubeObject>(
    request: KubeRequest,
    credential: Credential,
  ): Promise<WatchStream<T> | Answer | UnansweredError> {
    request.signal?.throwIfAborted();
    const limits = new CallLimits(this.parts.clock, this.deadlineOf(request), request.signal);
    try {
      const pool = this.parts.pools.for('streams', credential.tls);
      const stream = new WatchStream<T>(
        describe(request),
        this.settings.maxEventBytes,
        request.managedFields === 'omit' ? withoutManagedFields : undefined,
      );
      limits.watch((reason) => stream.abort(reason));
      pool.dispatch(this.dispatchOptions(request, credential), stream);
      const { statusCode, headers } = await stream.answer;
      this.count(request, String(statusCode));
      if (statusCode < 300) return stream;
      const body = await stream.text(maxErrorLength);
      request.signal?.throwIfAborted();
      return { statusCode, headers, body };
    } catch (error) {
      this.count(request, '<error>');
      if (error instanceof UnansweredError) return error;
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

  private refresh(request: KubeRequest): Promise<Credential> {
    this.parts.logger.debug('credentials refused, reading them again', { verb: request.verb });
    return this.credential(request, 'refresh');
  }

  private async credential(request: KubeRequest, step: 'current' | 'refresh' = 'current'): Promise<Credential> {
    request.signal?.throwIfAborted();
    let limits: CallLimits | undefined;
    try {
      const credential = this.parts.credentials[step]();
      if (!(credential instanceof Promise)) return credential;
      limits = new CallLimits(this.parts.clock, this.deadlineOf(request), request.signal);
      return await limits.race(credential);
    } catch (error) {
      throw limits?.isAbort(error) ? error : transportError(request, error);
    } finally {
      limits?.clear();
    }
  }

  /** Waits until a throttled request may be sent again. */
  private async pause(request: KubeRequest, delayMs: number): Promise<void> {
    const { signal: closing } = this.closing;
    try {
      await sleep(this.parts.clock, delayMs, request.signal ? AbortSignal.any([request.signal, closing]) : closing);
    } catch (error) {
      throw closing.aborted && error === closing.reason ? transportError(request, error) : error;
    }
  }

  private answerError(request: KubeRequest, { statusCode, headers, body }: Answer): KubeApiError {
    return answerError(statusCode, headers, body, describe(request), this.parts.clock);
  }

  private count(request: KubeRequest, code: string): void {
    this.parts.metrics.clientRequests.inc({ verb: request.verb, code });
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
