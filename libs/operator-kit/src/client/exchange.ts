import type { Dispatcher } from 'undici';
import type { ConnectionPool } from './connection-pools';

export interface Answer {
  readonly statusCode: number;
  readonly headers: AnswerHeaders;
  readonly body: string;
}

export type AnswerHeaders = Record<string, string | string[] | undefined>;

/** The connection broke before the server said anything: with a kept-alive connection, it was probably dead already. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}

/** The answer is larger than we are willing to hold in memory. */
class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';

  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes: list in smaller pages, or raise maxResponseBytes`);
  }
}

const brokenConnection = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Tells a connection that died under a request from one that could not be made. */
export function lostBeforeAnswer(error: Error): Error {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && brokenConnection.has(code) ? new UnansweredError(error.message, { cause: error }) : error;
}

export interface Reading {
  readonly maxBytes: number;
  /** `unread`: a good answer's body is left out; what a failure says is read all the same. */
  readonly body: 'read' | 'unread';
}

/**
 * One request and its whole answer.
 *
 * Written against undici's dispatch interface, because the stream in between costs more than the rest of a small request.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private abortReason: Error | undefined;
  private statusCode = 0;
  private headers: AnswerHeaders = {};
  private chunks: Buffer[] = [];
  private bytes = 0;

  private constructor(
    private readonly reading: Reading,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  /** `start` is given a way to cut the exchange off. */
  static run(
    pool: ConnectionPool,
    options: Dispatcher.DispatchOptions,
    reading: Reading,
    start: (abort: (reason: unknown) => void) => void,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(reading, resolve, reject);
      start((reason) => exchange.abort(reason));
      pool.dispatch(options, exchange);
    });
  }

  abort(reason: unknown): void {
    this.reject(reason);
    // The reason of a signal can be anything; undici wants an error.
    this.abortReason = reason instanceof Error ? reason : new Error('aborted');
    this.controller?.abort(this.abortReason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.abortReason) controller.abort(this.abortReason);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: AnswerHeaders): void {
    this.statusCode = statusCode;
    this.headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBytes, body } = this.reading;
    if (body === 'unread' && this.statusCode < 300) return;
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes > maxBytes) this.abort(new AnswerTooLargeError(maxBytes));
  }

  onResponseEnd(): void {
    const only = this.chunks.length === 1 ? this.chunks[0] : undefined;
    const body = (only ?? Buffer.concat(this.chunks, this.bytes)).toString('utf8');
    this.chunks = [];
    this.resolve({ statusCode: this.statusCode, headers: this.headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.chunks = [];
    this.reject(this.statusCode === 0 ? lostBeforeAnswer(error) : error);
  }
}
