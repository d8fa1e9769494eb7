import type { Dispatcher } from 'undici';
import { type Answer, type AnswerHeaders, lostBeforeAnswer } from './exchange';
import { type KubeStatus, TransportError, apiErrorFor } from './kube.errors';
import type { KubeObject } from './kube-object';
import { LineReader } from './line-reader';
import type { WatchEvent } from './requests';

/** Bytes read ahead of the consumer. It bounds memory, and how much is parsed before other work gets its turn. */
const readAheadBytes = 256 * 1024;

type AnswerHead = Pick<Answer, 'statusCode' | 'headers'>;
type State = 'open' | 'ended' | 'failed';

/**
 * The events of one watch connection, read no faster than they are consumed.
 *
 * Ends when the server ends the answer properly; fails with a TransportError when the connection breaks, with the typed error of an ERROR event,
 * or with the reason given to `abort`. For a single consumer.
 */
export class WatchStream<T extends KubeObject> implements Dispatcher.DispatchHandler {
  private readonly lines: LineReader;
  private controller: Dispatcher.DispatchController | undefined;
  private state: State = 'open';
  private failure: unknown;
  private paused = false;
  private wake: (() => void) | undefined;
  private readonly answering = Promise.withResolvers<AnswerHead>();

  constructor(
    private readonly request: string,
    maxEventBytes: number,
    private readonly beforeParsing: (line: string) => string = (line) => line,
  ) {
    // A stream that breaks later tells so by `take`; nobody may be waiting for the answer then.
    this.answering.promise.catch(() => undefined);
    this.lines = new LineReader(maxEventBytes);
  }

  /** Settles when the server has answered, or cannot be reached. */
  get answer(): Promise<AnswerHead> {
    return this.answering.promise;
  }

  /** Whether nothing more will come, apart from what `take` still has at hand. */
  get isOver(): boolean {
    return this.state !== 'open';
  }

  /** The next event that has arrived; undefined when none has. @throws what ended the stream, after the events before it were taken */
  take(): WatchEvent<T> | undefined {
    for (let line = this.nextLine(); line !== undefined; line = this.nextLine()) {
      if (line !== '') return this.parse(line);
    }
    if (this.state === 'failed') throw this.failure;
    return this.state === 'ended' ? this.last() : undefined;
  }

  /** The rest as text, up to a limit: for an answer that is not a stream of events. */
  async text(maxLength: number): Promise<string> {
    let text = '';
    while (text.length < maxLength) {
      const line = this.nextLine();
      if (line !== undefined) text += `${line}\n`;
      else if (this.isOver) return text + this.lines.rest();
      else await this.moreData();
    }
    this.abort(new Error('the answer is too long'));
    return text;
  }

  /** Resolves when bytes have come, or the end. */
  moreData(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
      if (!this.paused) return;
      this.paused = false;
      // Hands over what has waited from within this very call.
      this.controller?.resume();
    });
  }

  /** Closes the connection and forgets what has arrived: every later `take` fails with this reason. */
  abort(reason: unknown): void {
    const wasOpen = this.state === 'open';
    this.answering.reject(reason);
    this.lines.clear();
    this.fail(reason);
    if (wasOpen) this.controller?.abort(reason instanceof Error ? reason : new Error('watch aborted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.state === 'failed') controller.abort(new Error('watch aborted'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: AnswerHeaders): void {
    if (statusCode < 200) return;
    this.answering.resolve({ statusCode, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    this.lines.push(chunk);
    this.signalConsumer();
    if (this.lines.unreadBytes > readAheadBytes) {
      this.paused = true;
      controller.pause();
    }
  }

  onResponseEnd(): void {
    if (this.state === 'open') this.state = 'ended';
    this.signalConsumer();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.answering.reject(lostBeforeAnswer(error));
    this.fail(new TransportError(this.request, { cause: error }));
  }

  private nextLine(): string | undefined {
    try {
      return this.lines.next();
    } catch (cause) {
      throw new TransportError(this.request, { cause });
    }
  }

  private signalConsumer(): void {
    const { wake } = this;
    this.wake = undefined;
    wake?.();
  }

  private fail(reason: unknown): void {
    if (this.state !== 'open') return;
    this.state = 'failed';
    this.failure = reason;
    this.signalConsumer();
  }

  private last(): WatchEvent<T> | undefined {
    const rest = this.lines.rest().trim();
    return rest ? this.parse(rest) : undefined;
  }

  private parse(line: string): WatchEvent<T> {
    let event: WatchEvent<T> | { type: 'ERROR'; object: KubeStatus };
    try {
      event = JSON.parse(this.beforeParsing(line)) as typeof event;
    } catch {
      // The parser's own message quotes the object.
      throw new TransportError(this.request, { cause: new Error('a watch event is not JSON: it was cut off, or something else answers') });
    }
    if (event.type !== 'ERROR') return event;
    throw apiErrorFor(event.object.code ?? 500, event.object, this.request);
  }
}
