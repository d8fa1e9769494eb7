import type { Protocol, ProtocolSniffer } from '../exchange';
import { isTokenByte } from '../http1';

const H2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const METHOD_LIMIT = 32;
/** Whoever sends empty lines beyond this sends nothing but them. */
const EMPTY_LINES_LIMIT_BYTES = 64;
const SPACE = 32;
const CR = 13;
const LF = 10;
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'CONNECT']);
const TARGET_STARTS = new Set<number>(Buffer.from('/*hH'));

/**
 * Tells HTTP/1 by a known method, or by any method and the start of a target, HTTP/2 by its preface, and takes everything else for
 * raw bytes.
 *
 * A TLS hello begins with a byte that no method may hold. An answer comes after a hundred bytes at the latest, whatever they are.
 */
export class ProtocolByFirstBytes implements ProtocolSniffer {
  sniff(bytes: Uint8Array, length: number): Protocol | undefined {
    const preface = sharedPrefix(bytes, length);
    if (preface === H2_PREFACE.length) return 'h2';
    if (preface === length) return undefined;
    let at = 0;
    while (at < length && (bytes[at] === CR || bytes[at] === LF)) at++;
    if (at > EMPTY_LINES_LIMIT_BYTES) return 'http1';
    const start = at;
    while (at < length && isTokenByte(bytes[at] ?? 0)) at++;
    if (at - start > METHOD_LIMIT) return 'raw';
    if (at === length) return undefined;
    if (at === start || bytes[at] !== SPACE) return 'raw';
    if (KNOWN_METHODS.has(Buffer.from(bytes.subarray(start, at)).toString('latin1'))) return 'http1';
    if (at + 1 === length) return undefined;
    return TARGET_STARTS.has(bytes[at + 1] ?? 0) ? 'http1' : 'raw';
  }
}

function sharedPrefix(bytes: Uint8Array, length: number): number {
  const limit = Math.min(length, H2_PREFACE.length);
  let at = 0;
  while (at < limit && bytes[at] === H2_PREFACE[at]) at++;
  return at;
}
