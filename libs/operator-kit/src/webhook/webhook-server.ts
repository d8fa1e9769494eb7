import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Clock, sleep, systemClock } from '../clock';
import type { Logger } from '../logging';
import type { KubeObject } from '../client';
import type { AdmissionHandler, Converter } from './admission';
import { readBody } from './body';
import type { CertificateSource, ServingCertificate } from './certificate-source';
import { BadReviewError } from './review';
import { type ReviewAnswer, ReviewDispatcher, refusal } from './review-dispatcher';

export interface WebhookServerOptions {
  /** 0 lets the system choose; see `port`. */
  port: number;
  /** Default: every interface. */
  host?: string;
  /** Unique within a manager. Default: webhooks. */
  name?: string;
  /** How long a review may take, if the API server does not ask for less. Default: 10 s. */
  timeoutMs?: number;
  /** Reviews at work at the same time. Default: 64. */
  maxInFlight?: number;
  /** Reviews that wait for their turn; more are refused with 503. Default: 256. */
  maxWaiting?: number;
  /** How long a stop waits for reviews at work before it cuts them off. Default: 10 s. */
  graceMs?: number;
}

/** Larger than any object etcd takes, in both states of an update. */
const maxBodyBytes = 7 * 1024 * 1024;

/**
 * Answers the API server's admission and conversion reviews over HTTPS.
 *
 * It serves with the newest certificate its source has, without a restart. An exception in a handler is answered with 500 (and the
 * request's uid), so that the webhook's failurePolicy decides. A stop lets reviews at work finish and leaves nothing behind.
 */
export class WebhookServer {
  readonly name: string;
  private readonly dispatcher: ReviewDispatcher;
  private readonly clock: Clock;
  private readonly logger: Logger;
  private readonly stopped = new AbortController();
  private readonly atWork = new Set<Promise<void>>();
  private server?: Server;
  private listening: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly options: WebhookServerOptions,
    private readonly certificates: CertificateSource,
    { clock = systemClock, logger }: { clock?: Clock; logger: Logger },
  ) {
    const { timeoutMs = 10_000, maxInFlight = 64, maxWaiting = 256 } = options;
    this.name = options.name ?? 'webhooks';
    this.clock = clock;
    this.logger = logger.with({ server: this.name });
    this.dispatcher = new ReviewDispatcher({ timeoutMs, maxInFlight, maxWaiting }, clock, this.logger);
  }

  /** Adds a handler to a path; several on one path are asked in turn, and any denial wins. */
  admit<T extends KubeObject = KubeObject>(path: string, handler: AdmissionHandler<T>): this {
    this.dispatcher.admit(path, handler as AdmissionHandler);
    return this;
  }

  convert(path: string, converter: Converter): this {
    this.dispatcher.convert(path, converter);
    return this;
  }

  /** The port it listens on, once started. */
  get port(): number {
    return (this.server?.address() as AddressInfo | null | undefined)?.port ?? this.options.port;
  }

  /** Resolves once it serves. @throws when it cannot listen, or has no certificate to begin with */
  async start(signal: AbortSignal): Promise<void> {
    if (this.server) throw new Error(`${this.name} was started before: make a new WebhookServer`);
    this.server = createServer({ minVersion: 'TLSv1.2' }, (request, response) => {
      this.serve(request, response);
    });
    this.server.on('tlsClientError', (error) => {
      this.logger.debug('a TLS handshake failed', { error });
    });
    await this.certificates.start((certificate) => {
      this.useCertificate(certificate);
    }, signal);
    // A source may take its time, and whoever started this has given up meanwhile.
    if (this.isStopping) throw new Error('the webhook server stops');
    this.listening = this.listen(this.server);
    await this.listening;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.isStopping = true;
    await this.listening.catch(() => undefined);
    const closed = server?.listening ? new Promise<void>((resolve) => void server.close(() => resolve())) : Promise.resolve();
    server?.closeIdleConnections();
    await this.settleOrGiveUp();
    this.stopped.abort(new Error('the webhook server stops'));
    server?.closeAllConnections();
    await Promise.all([closed, this.certificates.stop(), ...this.atWork]);
  }

  private useCertificate({ cert, key }: ServingCertificate): void {
    this.server?.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  }

  private listen(server: Server): Promise<void> {
    const { port, host } = this.options;
    return new Promise((resolve, reject) => {
      const onError = (cause: Error) => {
        reject(new Error(`cannot listen on ${host ?? '*'}:${port}: ${cause.message}; give ${this.name} another port`, { cause }));
      };
      server.once('error', onError);
      server.listen({ port, host }, () => {
        server.off('error', onError);
        server.on('error', (error) => {
          this.logger.warn('the webhook server had trouble', { error });
        });
        resolve();
      });
    });
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const work: Promise<void> = this.respond(request, response)
      .catch((error: unknown) => {
        this.logger.debug('a review could not be answered', { error });
        response.destroy();
      })
      .finally(() => this.atWork.delete(work));
    this.atWork.add(work);
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort(new Error('the caller hung up'));
    });
    const { status, body } = await this.review(request, AbortSignal.any([gone.signal, this.stopped.signal]));
    if (response.destroyed) return;
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    // A body that was not read to its end leaves the connection unusable, and a stopping server wants it closed.
    const closing = !request.complete || this.server?.listening !== true;
    response.writeHead(status, closing ? { ...headers, connection: 'close' } : headers).end(text);
  }

  private async review(request: IncomingMessage, signal: AbortSignal): Promise<ReviewAnswer> {
    try {
      const body = await readBody(request, maxBodyBytes, signal);
      const { method = '', url = '', headers } = request;
      return await this.dispatcher.answer({ method, url, contentType: headers['content-type'], body }, signal);
    } catch (error) {
      if (!(error instanceof BadReviewError)) throw error;
      return refusal(error);
    }
  }

  private async settleOrGiveUp(): Promise<void> {
    if (this.atWork.size === 0) return;
    const settled = new AbortController();
    const all = Promise.allSettled(this.atWork).then(() => {
      settled.abort();
    });
    await Promise.race([all, sleep(this.clock, this.options.graceMs ?? 10_000, settled.signal).catch(() => undefined)]);
  }
}
