import { type Clock, InFlightLimit } from '../clock';
import type { KubeObject } from '../client';
import type { Logger } from '../logging';
import type { AdmissionHandler, Converter } from './admission';
import { type AdmissionResponse, runAdmission } from './admission-chain';
import { withDeadline } from './deadline';
import { BadReviewError, type ConversionRequest, parseAdmissionRequest, parseConversionRequest } from './review';

export interface ReviewCall {
  method: string;
  /** Path and query; the API server says in `timeout` how long it will wait. */
  url: string;
  contentType?: string;
  body: Buffer;
}

export interface ReviewAnswer {
  status: number;
  body: object;
}

export interface ReviewLimits {
  timeoutMs: number;
  maxInFlight: number;
  maxWaiting: number;
}

/** Makes a URL of a path; nothing is sent there. */
const base = 'https://webhook';

type Endpoint = { kind: 'admission'; handlers: AdmissionHandler[] } | { kind: 'conversion'; converter: Converter };

/**
 * Everything about reviews that needs no socket: which handlers a path has, what they decide, how long they may take.
 *
 * Every answer to a readable request carries its uid. `answer` never rejects.
 */
export class ReviewDispatcher {
  private readonly endpoints = new Map<string, Endpoint>();
  private readonly limit: InFlightLimit;

  constructor(
    private readonly limits: ReviewLimits,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.limit = new InFlightLimit(limits.maxInFlight, limits.maxWaiting);
  }

  admit(path: string, handler: AdmissionHandler): void {
    const endpoint = this.endpoints.get(path);
    if (endpoint?.kind === 'conversion') throw new Error(`${path} converts already: give admission another path`);
    if (endpoint) endpoint.handlers.push(handler);
    else this.endpoints.set(checkedPath(path), { kind: 'admission', handlers: [handler] });
  }

  convert(path: string, converter: Converter): void {
    if (this.endpoints.has(path)) throw new Error(`${path} is taken: give conversion a path of its own`);
    this.endpoints.set(checkedPath(path), { kind: 'conversion', converter });
  }

  async answer(call: ReviewCall, signal: AbortSignal): Promise<ReviewAnswer> {
    try {
      const url = URL.parse(call.url, base);
      const endpoint = this.endpointFor(call.method, url?.pathname ?? call.url);
      const timeoutMs = Math.min(this.limits.timeoutMs, askedTimeoutMs(url?.searchParams.get('timeout')));
      return endpoint.kind === 'admission'
        ? await this.admission(endpoint.handlers, call, timeoutMs, signal)
        : await this.conversion(endpoint.converter, call, timeoutMs, signal);
    } catch (error) {
      if (!(error instanceof BadReviewError)) throw error;
      return refusal(error);
    }
  }

  private endpointFor(method: string, path: string): Endpoint {
    const endpoint = this.endpoints.get(path);
    if (!endpoint) throw new BadReviewError(404, 'no webhook has this path');
    if (method !== 'POST') throw new BadReviewError(405, 'reviews are sent with POST');
    if (this.limit.isFull) throw new BadReviewError(503, 'too many reviews at once: try again');
    return endpoint;
  }

  private async admission(handlers: AdmissionHandler[], call: ReviewCall, timeoutMs: number, signal: AbortSignal): Promise<ReviewAnswer> {
    const request = parseAdmissionRequest(call.contentType, call.body);
    try {
      const response = await this.within(timeoutMs, signal, (inner) => runAdmission(handlers, request, inner));
      return { status: 200, body: admissionReview(response) };
    } catch (error) {
      this.report('an admission webhook failed', call, request.uid, error, signal);
      return { status: 500, body: admissionReview({ uid: request.uid, allowed: false, status: { code: 500, message: messageOf(error) } }) };
    }
  }

  private async conversion(converter: Converter, call: ReviewCall, timeoutMs: number, signal: AbortSignal): Promise<ReviewAnswer> {
    const request = parseConversionRequest(call.contentType, call.body);
    try {
      const convertedObjects = await this.within(timeoutMs, signal, (inner) => convertAll(converter, request, inner));
      return { status: 200, body: conversionReview({ uid: request.uid, convertedObjects, result: { status: 'Success' } }) };
    } catch (error) {
      this.report('a conversion webhook failed', call, request.uid, error, signal);
      return { status: 200, body: conversionReview({ uid: request.uid, result: { status: 'Failure', message: messageOf(error) } }) };
    }
  }

  /** What ended because nobody waits for its answer any more is no failure of the webhook. */
  private report(failure: string, { url }: ReviewCall, uid: string, error: unknown, caller: AbortSignal): void {
    const fields = { path: URL.parse(url, base)?.pathname, uid, error };
    if (caller.aborted) this.logger.debug('a review was given up by its caller', fields);
    else this.logger.error(failure, fields);
  }

  private within<T>(timeoutMs: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.clock, timeoutMs, signal, (inner) => this.limit.run(() => work(inner), inner));
  }
}

/** The body of a refusal is a Status, which kubectl shows. */
export function refusal({ code, message }: BadReviewError): ReviewAnswer {
  return { status: code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message } };
}

async function convertAll(converter: Converter, request: ConversionRequest, signal: AbortSignal): Promise<KubeObject[]> {
  const converted: KubeObject[] = [];
  for (const object of request.objects) {
    signal.throwIfAborted();
    converted.push(await converter(object, request.desiredAPIVersion, signal));
  }
  return converted;
}

function admissionReview(response: AdmissionResponse): object {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

function conversionReview(response: object): object {
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response };
}

function checkedPath(path: string): string {
  if (!/^\/[^?#\s]*$/.test(path)) throw new Error(`the path ${path} must start with a slash and have no query`);
  return path;
}

/** `10s`, or nothing. */
function askedTimeoutMs(text: string | null | undefined): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text ?? '');
  const unitMs = { ms: 1, s: 1_000, m: 60_000 }[match?.[2] ?? ''];
  return unitMs === undefined ? Number.POSITIVE_INFINITY : Number(match?.[1]) * unitMs;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
