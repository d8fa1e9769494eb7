import { isIPv4, isIPv6 } from 'node:net';

type FormatCheck = (text: string) => boolean;

const GO_DURATION = /^[-+]?(0|(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))*)$/;
const DURATION_UNIT = /^(ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;
const HOSTNAME = /^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9])(\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9]))*$/;
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONG_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const uuid = (version: string, variant: string): FormatCheck => {
  const pattern = new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?${variant}-?[0-9a-f]{12}$`, 'i');
  return (text) => pattern.test(text);
};

/** The string formats the API server enforces; it ignores all others, and so do we. */
const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['datetime', isDateTime],
  ['date', isDay],
  ['duration', (text) => GO_DURATION.test(text) || isWordedDuration(text)],
  ['email', (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text) || /^[^<>]*<[^\s@<>]+@[^\s@<>]+>$/.test(text)],
  ['hostname', (text) => text.length <= 255 && HOSTNAME.test(text)],
  ['ipv4', (text) => text.includes('.') && isAddress(withoutLeadingZeros(text))],
  ['ipv6', (text) => text.includes(':') && isAddress(text)],
  ['cidr', isCidr],
  ['mac', (text) => /^([0-9a-f]{2}[:-]){5,}[0-9a-f]{2}$/i.test(text) || /^([0-9a-f]{4}\.){2,}[0-9a-f]{4}$/i.test(text)],
  ['uri', isRequestUri],
  ['byte', (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text)],
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

function normalized(format: string): string {
  return format.replaceAll('-', '');
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

/** The server looks for the pieces around the first T; it asks little of the offset and takes any sign before the fraction. */
function isDateTime(text: string): boolean {
  const [day = '', time = ''] = text.toLowerCase().split('t');
  const [, hour = '99', minute = '99', second = '99'] = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  return isDay(day) && hour < '24' && minute < '60' && second < '60';
}

/** One amount with a unit that is known is enough, wherever it stands: `2 days`, `1h1x`. */
function isWordedDuration(text: string): boolean {
  const amounts = [...text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)];
  const fits = amounts.every(([, digits = '0']) => BigInt(digits) < 2n ** 63n);
  return fits && amounts.some(([, , unit = '']) => DURATION_UNIT.test(unit));
}

/** As Go reads addresses: without zones. */
function isAddress(text: string): boolean {
  return !text.includes('%') && (isIPv4(text) || isIPv6(text));
}

/** IPv4 addresses and ranges may have zeros before their numbers; IPv6 addresses that end in one may not. */
function withoutLeadingZeros(text: string): string {
  return text.replace(/(^|[.:])0+(?=\d+(\.|$))/g, '$1');
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d+$/.test(bits)) return false;
  const plain = address.includes('.') ? withoutLeadingZeros(address) : address;
  return isAddress(plain) && Number(bits) <= (address.includes(':') ? 128 : 32);
}

function isRequestUri(text: string): boolean {
  return text.startsWith('/') || (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) && URL.canParse(text));
}
