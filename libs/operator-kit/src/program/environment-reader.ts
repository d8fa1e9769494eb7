import { isIP } from 'node:net';
import { parseGoDuration } from './go-duration';

/** Every mistake of the environment at once, so that one restart mends them all. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';

  constructor(readonly mistakes: readonly string[]) {
    super(`the environment has ${mistakes.length} mistakes:\n${mistakes.map((mistake) => `- ${mistake}`).join('\n')}`);
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables and remembers what is wrong with them; a wrong one reads as its default. Values are never repeated: some are secrets. */
export class EnvironmentReader {
  readonly mistakes: string[] = [];

  constructor(private readonly env: Environment) {}

  text(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  required(name: string, what: string): string {
    const text = this.text(name);
    if (text === undefined) this.mistakes.push(`${name} must be ${what}`);
    return text ?? '';
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const text = this.text(name) ?? fallback;
    const found = allowed.find((value) => value === text);
    if (found === undefined) this.mistakes.push(`${name} must be one of ${allowed.join(', ')}`);
    return found ?? fallback;
  }

  duration(name: string, fallback: string): number {
    try {
      const valueMs = parseGoDuration(this.text(name) ?? fallback);
      if (valueMs > 0) return valueMs;
    } catch {
      // Said below, in the words for a setting.
    }
    this.mistakes.push(`${name} must be a Go duration above zero, such as ${fallback}`);
    return parseGoDuration(fallback);
  }

  port(name: string, fallback: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const port = Number(text);
    if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
    this.mistakes.push(`${name} must be a port from 1 to 65535`);
    return fallback;
  }

  count(name: string, fallback: number, max: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const count = Number(text);
    if (/^\d+$/.test(text) && count >= 1 && count <= max) return count;
    this.mistakes.push(`${name} must be a whole number from 1 to ${max}`);
    return fallback;
  }

  /** As Go reads them, for whom these variables were made: `true`, `1`, `F`. */
  boolean(name: string, fallback: boolean): boolean {
    const text = this.text(name);
    if (text === undefined) return fallback;
    if (/^(1|t|T|true|True|TRUE)$/.test(text)) return true;
    if (!/^(0|f|F|false|False|FALSE)$/.test(text)) this.mistakes.push(`${name} must be true or false`);
    return false;
  }

  ip(name: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && isIP(text) === 0) this.mistakes.push(`${name} must be an IP address`);
    return text;
  }

  ips(name: string): string[] {
    const ips = this.list(name);
    if (ips.some((ip) => isIP(ip) === 0)) this.mistakes.push(`${name} must be IP addresses with commas between them`);
    return ips;
  }

  name(name: string, fallback: string): string {
    const text = this.text(name) ?? fallback;
    if (!isDnsName(text)) this.mistakes.push(`${name} must be a name of Kubernetes: small letters, digits and dashes`);
    return text;
  }

  names(name: string): string[] {
    const names = this.list(name);
    if (!names.every(isDnsName)) this.mistakes.push(`${name} must be namespaces with commas between them`);
    return [...new Set(names)];
  }

  /** In small letters and without the dot that may stand behind it, as names are compared. */
  domain(name: string, fallback: string): string {
    const text = (this.text(name) ?? fallback).toLowerCase().replace(/\.$/, '');
    if (text.split('.').every(isDnsName)) return text;
    this.mistakes.push(`${name} must be a DNS name such as ${fallback}`);
    return fallback;
  }

  url(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
      this.mistakes.push(`${name} must be a URL that begins with http:// or https://`);
    return text;
  }

  /** A URL that paths are put behind. */
  baseUrl(name: string): string | undefined {
    const text = this.url(name);
    const url = text === undefined ? undefined : URL.parse(text);
    if (url && url.search + url.hash !== '') this.mistakes.push(`${name} must not have a query or fragment`);
    return text;
  }

  origin(name: string): string | undefined {
    const text = this.text(name);
    const origin = text === undefined ? undefined : originOf(text);
    if (text !== undefined && origin === undefined)
      this.mistakes.push(`${name} must be an origin such as http://127.0.0.1:8013, without user or path`);
    return origin;
  }

  origins(name: string): string[] {
    const origins = this.list(name).map(originOf);
    if (origins.includes(undefined)) {
      this.mistakes.push(`${name} must be origins with commas between them, such as https://prometheus.example:9090, without user or path`);
    }
    return [...new Set(origins.filter((origin) => origin !== undefined))];
  }

  headerName(name: string, fallback: string): string {
    const text = this.text(name) ?? fallback;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(text)) this.mistakes.push(`${name} must be the name of an HTTP header`);
    return text;
  }

  headerValue(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || /^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
    this.mistakes.push(`${name} must be one line, fit for an HTTP header`);
    return undefined;
  }

  /** @throws EnvironmentError when anything that was read is wrong */
  check(): void {
    if (this.mistakes.length > 0) throw new EnvironmentError(this.mistakes);
  }

  private list(name: string): string[] {
    const parts = (this.text(name) ?? '').split(',').map((part) => part.trim());
    return parts.filter(Boolean);
  }
}

/** `undefined` for what is more or less than an origin. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
}

function isDnsName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text);
}
