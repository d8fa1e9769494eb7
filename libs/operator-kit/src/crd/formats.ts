import { isIPv4, isIPv6 } from 'node:net';
import type { NumberFormat, StringFormat } from './field-options';

const dateTime =
  /^(\d{4})-(0\d|1[0-2])-([0-2]\d|3[01])[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)([.,]\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const date = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const duration = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

/** How the API server reads each format of a string; `true` for a value it lets through. */
export const stringFormats: Record<StringFormat, (text: string) => boolean> = {
  byte: (text) => base64.test(text),
  cidr: isCidr,
  date: (text) => date.test(text) && isCalendarDay(text),
  'date-time': (text) => dateTime.test(text),
  duration: (text) => duration.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  password: () => true,
  uuid: (text) => uuid.test(text),
};

/** The range of each format of a number. */
export const numberFormats: Record<NumberFormat, { min: number; max: number }> = {
  int32: { min: -(2 ** 31), max: 2 ** 31 - 1 },
  int64: { min: -(2 ** 63), max: 2 ** 63 },
  float: { min: -3.4028234663852886e38, max: 3.4028234663852886e38 },
  double: { min: -Number.MAX_VALUE, max: Number.MAX_VALUE },
};

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}

function isCalendarDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
