export interface QueryRequest {
  readonly origin: string;
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
}

export interface QueryAnswer {
  readonly statusCode: number;
  readonly body: string;
}

/**
 * Sends one GET and gives the whole answer, whatever its status; follows no redirect.
 *
 * Rejects with the signal's reason as soon as it fires, and with AnswerTooLargeError instead of holding more than `maxBytes`.
 */
export interface QueryTransport {
  get(request: QueryRequest, signal: AbortSignal): Promise<QueryAnswer>;
}

export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';

  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`);
  }
}
