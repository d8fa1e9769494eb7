import type { Clock } from '../clock';
import type { AnswerHeaders } from './exchange';
import { apiErrorFor, type KubeApiError, type KubeStatus, retryAfterMs, TooManyRequestsError } from './kube.errors';

/** Enough to recognise a proxy's error page by. */
const maxMessageLength = 512;
const defaultThrottleSeconds = 1;

/** The typed error for a failed answer. What is not a Status (a proxy's page, an empty body) is made into one. */
export function answerError(statusCode: number, headers: AnswerHeaders, body: string, request: string, clock: Clock): KubeApiError {
  const status = parseStatus(body) ?? madeUpStatus(statusCode, body);
  const seconds = retryAfterSeconds(headers['retry-after'], clock);
  const complete =
    seconds === undefined || status.details?.retryAfterSeconds !== undefined
      ? status
      : { ...status, details: { ...status.details, retryAfterSeconds: seconds } };
  return apiErrorFor(statusCode, complete, request);
}

/** How long to wait before a throttled request may be sent again; undefined when the failure is of another kind. */
export function retryDelayMs(error: KubeApiError): number | undefined {
  if (!(error instanceof TooManyRequestsError)) return undefined;
  return retryAfterMs(error) ?? defaultThrottleSeconds * 1000;
}

function parseStatus(body: string): KubeStatus | undefined {
  try {
    const parsed = JSON.parse(body) as Partial<KubeStatus> | null;
    return parsed?.kind === 'Status' ? (parsed as KubeStatus) : undefined;
  } catch {
    return undefined;
  }
}

function madeUpStatus(code: number, body: string): KubeStatus {
  const text = body.trim();
  const message = text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}...` : text;
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message: message || 'an answer without a body' };
}

/** The header holds seconds, or a date. */
function retryAfterSeconds(header: string | string[] | undefined, clock: Clock): number | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - clock.now()) / 1000));
}
