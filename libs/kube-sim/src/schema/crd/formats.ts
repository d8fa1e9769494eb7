import { isIPv4, isIPv6 } from 'node:net';

type FormatCheck = (text: string) => boolean;

const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;
const GO_DURATION = /^[-+]?(0|(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))*)$/;
const WORD_DURATION =
  /^\s*\d+\s*(ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)\s*$/;
const HOSTNAME = /^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9])(\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9]))*$/;
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONG_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const uuid = (version: string, variant: string): FormatCheck => {
  const pattern = new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?${variant}-?[0-9a-f]{12}$`, 'i');
  return (text) => pattern.test(text);
};

/** The string formats the API server enforces; it ignores all others, and so do we. */
const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['datetime', (text) => DATE_TIME.test(text) && isCalendarDay(text.slice(0, 10))],
  ['date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isCalendarDay(text)],
  ['duration', (text) => GO_DURATION.test(text) || WORD_DURATION.test(text)],
  ['email', (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text) || /^[^<>]*<[^\s@<>]+@[^\s@<>]+>$/.test(text)],
  ['hostname', (text) => text.length <= 255 && HOSTNAME.test(text)],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['mac', (text) => /^([0-9a-f]{2}[:-]){5,}[0-9a-f]{2}$/i.test(text) || /^([0-9a-f]{4}\.){2,}[0-9a-f]{4}$/i.test(text)],
  ['uri', isRequestUri],
  ['byte', (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)],
  ['uuid', uuid('[0-9a-f]{4}', '[0-9a-f]{4}')],
  ['uuid3', uuid('3[0-9a-f]{3}', '[0-9a-f]{4}')],
  ['uuid4', uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
  ['uuid5', uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
  ['hexcolor', (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', (text) => /^rgb\((\s*\d{1,3}\s*,){2}\s*\d{1,3}\s*\)$/.test(text)],
  ['ssn', (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['bsonobjectid', (text) => /^[0-9a-f]{24}$/i.test(text)],
  ['password', () => true],
  ['k8sshortname', (text) => text.length <= 63 && SHORT_NAME.test(text)],
  ['k8slongname', (text) => text.length <= 253 && LONG_NAME.test(text)],
]);

export function hasFormat(format: string, text: string): boolean {
  return checks.get(normalized(format))?.(text) ?? true;
}

export function isKnownFormat(format: string): boolean {
  return checks.has(normalized(format));
}

function normalized(format: string): string {
  return format.replaceAll('-', '');
}

function isCalendarDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^(0|[1-9]\d*)$/.test(bits)) return false;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

function isRequestUri(text: string): boolean {
  return text.startsWith('/') || (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) && URL.canParse(text));
}
