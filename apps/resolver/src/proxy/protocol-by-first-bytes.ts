import { METHODS } from 'node:http';

import type { Protocol, ProtocolSniffer } from '../exchange';
import { isTokenByte } from '../http1';

const H2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const METHOD_LIMIT = 32;
/** Whoever sends empty lines beyond this sends nothing but them. */
const EMPTY_LINES_LIMIT_BYTES = 64;
/** So much of a line is waited for that begins as HTTP does and does not go on so. */
const LINE_LIMIT_BYTES = 1024;
const SPACE = 32;
const SLASH = 47;
const CR = 13;
const LF = 10;
const KNOWN_METHODS = new Set(METHODS);
const SCHEMES = ['http://', 'https://'];
const VERSION_AT_END = /[ \t]HTTP\/[0-9.]*[ \t]*\r?$/i;

/** `maybe http`: an HTTP client that sends slowly may have begun so. */
type Guess = Protocol | 'maybe http' | 'hardly http';

/**
 * Tells HTTP/1 by a method and the start of a target, HTTP/2 by its preface, and takes everything else for raw bytes.
 *
 * Other protocols have words with a space behind them as well: `get hello` is memcached's, `GET key` can be Redis'. So a line counts that
 * has the form of a request, and one that has not but ends with a version, which the parser refuses. A TLS hello begins with a byte that no
 * method may hold. An answer comes after a thousand bytes at the latest, whatever they are, and mostly with the first.
 */
export class ProtocolByFirstBytes implements ProtocolSniffer {
  sniff(bytes: Uint8Array, length: number): Protocol | undefined {
    const guess = guessProtocol(bytes, length);
    return guess === 'maybe http' || guess === 'hardly http' ? undefined : guess;
  }

  sniffPaused(bytes: Uint8Array, length: number): 'raw' | undefined {
    return guessProtocol(bytes, length) === 'hardly http' ? 'raw' : undefined;
  }
}

function guessProtocol(bytes: Uint8Array, length: number): Guess {
  const preface = sharedPrefix(bytes, length);
  if (preface === H2_PREFACE.length) return 'h2';
  if (preface === length) return 'maybe http';
  let start = 0;
  while (start < length && (bytes[start] === CR || bytes[start] === LF)) start++;
  if (start > EMPTY_LINES_LIMIT_BYTES) return 'http1';
  let at = start;
  while (at < length && isTokenByte(bytes[at] ?? 0)) at++;
  if (at - start > METHOD_LIMIT) return 'raw';
  const method = text(bytes, start, at);
  if (at === length) return method !== '' && METHODS.some((known) => known.startsWith(method)) ? 'maybe http' : 'hardly http';
  if (method === '' || bytes[at] !== SPACE) return 'raw';
  // As nearly all connections begin.
  if (at + 1 < length && bytes[at + 1] === SLASH && KNOWN_METHODS.has(method)) return 'http1';
  return guessByTarget(method, text(bytes, at + 1, Math.min(length, start + LINE_LIMIT_BYTES)));
}

/** `rest` is what follows the space behind the method. */
function guessByTarget(method: string, rest: string): Guess {
  const isKnown = KNOWN_METHODS.has(method);
  const lineEnd = rest.indexOf('\n');
  const line = lineEnd < 0 ? undefined : rest.slice(0, lineEnd);
  if (line !== undefined && VERSION_AT_END.test(line)) return 'http1';
  switch (targetForm(method, rest)) {
    case 'target':
      return isKnown || line === undefined ? 'http1' : 'raw';
    case 'begun':
      return isKnown ? 'maybe http' : 'hardly http';
    case 'none':
      if (!isKnown || line !== undefined) return 'raw';
      return method.length + 1 + rest.length < LINE_LIMIT_BYTES ? 'hardly http' : 'raw';
  }
}

/** A line without any target is no other protocol's either. */
function targetForm(method: string, rest: string): 'target' | 'begun' | 'none' {
  if (rest === '') return 'begun';
  if (method === 'CONNECT' || /^[/*\r\n]/.test(rest)) return 'target';
  const start = rest.slice(0, 'https://'.length).toLowerCase();
  if (SCHEMES.some((scheme) => start.startsWith(scheme))) return 'target';
  return SCHEMES.some((scheme) => scheme.startsWith(start)) ? 'begun' : 'none';
}

function text(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.max(0, end - start)).toString('latin1');
}

function sharedPrefix(bytes: Uint8Array, length: number): number {
  const limit = Math.min(length, H2_PREFACE.length);
  let at = 0;
  while (at < limit && bytes[at] === H2_PREFACE[at]) at++;
  return at;
}
