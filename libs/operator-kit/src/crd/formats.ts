import { isIPv4, isIPv6 } from 'node:net';
import type { NumberFormat, StringFormat } from './field-options';

/** How the API server reads each format of a string, leniencies included; `true` for a value it lets through. */
export const stringFormats: Record<StringFormat, (text: string) => boolean> = {
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
  cidr: isCidr,
  date: isDate,
  'date-time': isDateTime,
  duration: (text) => isGoDuration(text) || isWordedDuration(text),
  ipv4: (text) => text.includes('.') && isAddress(withoutLeadingZeros(text)),
  ipv6: (text) => text.includes(':') && isAddress(text),
  password: () => true,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
};

/** Whether a number fits each format. Integers are read as 64 bits whatever their format. */
export const numberFormats: Record<NumberFormat, (value: number) => boolean> = {
  int32: (value) => value >= -(2 ** 31) && value < 2 ** 31,
  int64: (value) => Math.abs(value) < 2 ** 63,
  float: (value) => Number.isFinite(Math.fround(value)),
  double: () => true,
};

/** Node takes zones (`fe80::1%eth0`), Go does not. */
function isAddress(text: string): boolean {
  return !text.includes('%') && (isIPv4(text) || isIPv6(text));
}

/** Octets such as 010 were legal once and are tolerated for the sake of what is stored. */
function withoutLeadingZeros(text: string): string {
  return text.replace(/(?<=^|[.:/])0+(?=\d+(?:\.|\/|$))/g, '');
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d+$/.test(bits)) return false;
  const sloppy = address.includes('.') ? withoutLeadingZeros(address) : address;
  return isAddress(sloppy) && Number(bits) <= (sloppy.includes(':') ? 128 : 32);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The server looks at what stands before and after the first T, and no further than a second one. */
function isDateTime(text: string): boolean {
  const [day = '', time = ''] = text.toLowerCase().split('t');
  const match = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time);
  if (!match || !isDate(day)) return false;
  const [, hours = '', minutes = '', seconds = ''] = match;
  return hours <= '23' && minutes <= '59' && seconds <= '59';
}

function isGoDuration(text: string): boolean {
  return /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text);
}

const units = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

/** `2 days`, `1 week`: one number with a known unit is enough, wherever it stands. */
function isWordedDuration(text: string): boolean {
  const amounts = [...text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)];
  return amounts.every(([, amount]) => BigInt(amount ?? 0) < 2n ** 63n) && amounts.some(([, , unit]) => units.test(unit ?? ''));
}
