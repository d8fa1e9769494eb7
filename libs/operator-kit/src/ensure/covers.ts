import { isRecord } from '../json';

/**
 * Whether everything `desired` says is already so in `live`.
 *
 * What only `live` has (defaults, status, fields of others) does not matter. Lists must have the same length; elements that all
 * have a `name` are matched by it, others by position. An undefined or absent value in `desired` asks for nothing, and an empty
 * list is the same as none: the API server keeps no empty ones.
 */
export function covers(live: unknown, desired: unknown): boolean {
  if (desired === undefined) return true;
  if (Array.isArray(desired)) return coversList(live ?? [], desired);
  if (isRecord(desired)) return isRecord(live) && Object.entries(desired).every(([key, value]) => covers(live[key], value));
  return live === desired;
}

function coversList(live: unknown, desired: unknown[]): boolean {
  if (!Array.isArray(live) || live.length !== desired.length) return false;
  if (!desired.every(isNamed)) return desired.every((element, position) => covers(live[position], element));
  return desired.every((element) => live.some((other) => isNamed(other) && other.name === element.name && covers(other, element)));
}

function isNamed(value: unknown): value is { name: string } {
  return isRecord(value) && typeof value.name === 'string';
}
