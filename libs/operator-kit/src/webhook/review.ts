import type { KubeObject } from '../client';
import { isRecord } from '../json';
import type { AdmissionRequest } from './admission';

/** A request that is no review at all: answered with its code, before any handler is asked. */
export class BadReviewError extends Error {
  override readonly name = 'BadReviewError';

  constructor(
    readonly code: 400 | 404 | 405 | 413 | 503,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface ConversionRequest {
  uid: string;
  desiredAPIVersion: string;
  objects: KubeObject[];
}

/** @throws BadReviewError */
export function parseAdmissionRequest(contentType: string | undefined, body: Buffer): AdmissionRequest {
  const request = parseReview(contentType, body, 'admission.k8s.io/v1', 'AdmissionReview');
  return { ...(request as unknown as AdmissionRequest), dryRun: request.dryRun === true };
}

/** @throws BadReviewError */
export function parseConversionRequest(contentType: string | undefined, body: Buffer): ConversionRequest {
  const { uid, desiredAPIVersion, objects } = parseReview(contentType, body, 'apiextensions.k8s.io/v1', 'ConversionReview');
  if (typeof desiredAPIVersion !== 'string') throw bad('request.desiredAPIVersion is missing');
  if (!Array.isArray(objects)) throw bad('request.objects is missing');
  return { uid: uid as string, desiredAPIVersion, objects: objects as KubeObject[] };
}

function parseReview(contentType: string | undefined, body: Buffer, apiVersion: string, kind: string): Record<string, unknown> {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw bad(`the content type is ${contentType ?? 'missing'}: send application/json`);
  }
  if (body.length === 0) throw bad(`the body is empty: send an ${kind}`);
  const review = parseJson(body);
  if (!isRecord(review) || review.apiVersion !== apiVersion || review.kind !== kind) throw bad(`the body is no ${kind} of ${apiVersion}`);
  const { request } = review;
  if (!isRecord(request)) throw bad('request is missing');
  if (typeof request.uid !== 'string' || request.uid === '') throw bad('request.uid is missing');
  return request;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new BadReviewError(400, 'the body is not JSON', { cause });
  }
}

function bad(message: string): BadReviewError {
  return new BadReviewError(400, message);
}
