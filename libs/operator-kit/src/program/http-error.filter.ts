import type { Logger } from '../logging';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, NotFoundException } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpProblem } from './http-problem';

/** What callers are told of the program whose answers these are. */
export interface HttpErrorWords {
  /** Its name, as in "the operator could not answer this". */
  readonly program: string;
  /** What may be asked for: `GET /metrics, GET /healthz`. */
  readonly routes: string;
  readonly maxBodyBytes: number;
  /** What to do about a body that is too large. */
  readonly smallerBody: string;
}

/**
 * Answers every failure as JSON with a `message` that names the way out.
 *
 * A failure that nobody foresaw is logged and answered with 500 and nothing of its inside; paths, headers and bodies are in neither.
 */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  /** What Express says of a body that it could not read. */
  private readonly unreadable: Readonly<Record<number, string>>;

  constructor(
    private readonly logger: Logger,
    private readonly words: HttpErrorWords,
  ) {
    this.unreadable = {
      400: 'the body could not be read: send it whole, with a Content-Length that fits',
      413: `the body is larger than ${words.maxBodyBytes} bytes: ${words.smallerBody}`,
      415: 'the body must be plain UTF-8, not compressed: leave out Content-Encoding and other charsets',
    };
  }

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<IncomingMessage>();
    const response = http.getResponse<ServerResponse>();
    if (response.headersSent) return void response.end();

    const { status, body, headers = {} } = this.answerTo(exception);
    // What is left of a body that was not read to its end would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    const text = JSON.stringify(body);
    response
      .writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) })
      .end(request.method === 'HEAD' ? undefined : text);
  }

  private answerTo(exception: unknown): { status: number; body: object; headers?: Readonly<Record<string, string>> } {
    if (exception instanceof HttpProblem) return { status: exception.getStatus(), body: exception.body, headers: exception.headers };
    const { program, routes } = this.words;
    if (exception instanceof NotFoundException) return { status: 404, body: { message: `there is no such path here: ask for ${routes}` } };
    if (exception instanceof HttpException) return { status: exception.getStatus(), body: bodyOf(exception) };

    const status = statusOf(exception);
    const message = this.unreadable[status];
    if (message !== undefined) return { status, body: { message } };
    this.logger.error('an http request failed', { error: exception });
    return { status: 500, body: { message: `the ${program} could not answer this: its log says why; call again later` } };
  }
}

function bodyOf(exception: HttpException): object {
  const body = exception.getResponse();
  return typeof body === 'string' ? { message: body } : body;
}

/** Express marks the errors of its own with a status. */
function statusOf(exception: unknown): number {
  return exception instanceof Error && 'statusCode' in exception && typeof exception.statusCode === 'number' ? exception.statusCode : 500;
}
