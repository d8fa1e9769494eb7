import type { Dispatcher } from 'undici';
import type { ConnectionPool, PoolFactory, PoolSettings } from '../client';

export interface SentRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Parsed, when there is one. */
  body: unknown;
  /** The pool it went through, counted from 0 in the order of their making. */
  pool: number;
}

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** An answer; an error the connection dies with, unanswered; or a stream that the test feeds. */
export type ScriptedOutcome = ScriptedAnswer | Error | ScriptedStream | 'silence';

/** The body of an answer, as the test feeds it. What is sent while the consumer has paused it is handed over from within `resume`, as undici does. */
export class ScriptedStream {
  aborted = false;
  private readonly held: Buffer[] = [];
  private handler: Dispatcher.DispatchHandler | undefined;
  private controller: ScriptedController | undefined;

  get paused(): boolean {
    return this.controller?.paused ?? false;
  }

  send(...events: unknown[]): void {
    this.sendBytes(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  }

  sendBytes(bytes: string | Buffer): void {
    const { handler, controller } = this.opened();
    if (controller.paused) this.held.push(Buffer.from(bytes));
    else handler.onResponseData?.(controller, Buffer.from(bytes));
  }

  end(): void {
    const { handler, controller } = this.opened();
    handler.onResponseEnd?.(controller, {});
  }

  break(error: Error): void {
    const { handler, controller } = this.opened();
    handler.onResponseError?.(controller, error);
  }

  /** For the scripted server only. */
  open(handler: Dispatcher.DispatchHandler, controller: ScriptedController): void {
    this.handler = handler;
    this.controller = controller;
    controller.onResume = () => this.held.splice(0).forEach((bytes) => this.sendBytes(bytes));
    controller.onAbort = () => (this.aborted = true);
    handler.onResponseStart?.(controller, 200, {});
  }

  private opened(): { handler: Dispatcher.DispatchHandler; controller: ScriptedController } {
    if (!this.handler || !this.controller) throw new Error('nobody has asked for this stream yet');
    return { handler: this.handler, controller: this.controller };
  }
}

class ScriptedController implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  onResume: () => void = () => undefined;
  onAbort: () => void = () => undefined;

  constructor(private readonly handler: Dispatcher.DispatchHandler) {}

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.onAbort();
    this.handler.onResponseError?.(this, reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.onResume();
  }
}

/**
 * Stands where the network would be: answers a client's requests by a script, in the order they come, without sockets.
 *
 * A request that the script does not foresee fails, so no test passes by accident.
 */
export class ScriptedServer {
  readonly requests: SentRequest[] = [];
  readonly pools: PoolSettings[] = [];
  openPools = 0;
  private readonly outcomes: ScriptedOutcome[] = [];

  /** Answers for the next requests. */
  script(...outcomes: ScriptedOutcome[]): this {
    this.outcomes.push(...outcomes);
    return this;
  }

  /** For the `poolFactory` of a client. */
  readonly poolFactory: PoolFactory = (settings) => {
    const pool = this.pools.push(settings) - 1;
    this.openPools++;
    const release = () => {
      this.openPools--;
      return Promise.resolve();
    };
    return {
      dispatch: (options, handler) => this.dispatch(pool, options, handler),
      close: release,
      destroy: release,
    } satisfies ConnectionPool;
  };

  private dispatch(pool: number, options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.requests.push(sentRequest(pool, options));
    const outcome = this.outcomes.shift() ?? new Error('the script has no answer for this request');
    const controller = new ScriptedController(handler);
    setImmediate(() => {
      handler.onRequestStart?.(controller, {});
      if (controller.aborted || outcome === 'silence') return;
      if (outcome instanceof Error) handler.onResponseError?.(controller, outcome);
      else if (outcome instanceof ScriptedStream) outcome.open(handler, controller);
      else answer(handler, controller, outcome);
    });
    return true;
  }
}

function answer(
  handler: Dispatcher.DispatchHandler,
  controller: ScriptedController,
  { status = 200, headers = {}, body }: ScriptedAnswer,
): void {
  handler.onResponseStart?.(controller, status, headers);
  if (body !== undefined) handler.onResponseData?.(controller, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  handler.onResponseEnd?.(controller, {});
}

function sentRequest(pool: number, { method, path, headers, body }: Dispatcher.DispatchOptions): SentRequest {
  const flat = headers as string[];
  const named: Record<string, string> = {};
  for (let i = 0; i + 1 < flat.length; i += 2) named[flat[i] ?? ''] = flat[i + 1] ?? '';
  return { method, path, headers: named, body: typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined, pool };
}
