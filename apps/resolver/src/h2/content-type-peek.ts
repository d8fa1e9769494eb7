import { FLAG } from './frame';
import { HpackDecoder } from './hpack-decoder';
import { blockEnd, blockStart } from './status-peek';

const EVENTS = 'text/event-stream';

export function acceptsEvents(accept: string | undefined): boolean {
  return accept?.includes(EVENTS) ?? false;
}

/**
 * Whether an answer is a stream of events, as far as its first frame tells; only for clients that accept one, for it costs a good deal.
 *
 * Pods are told to keep no table, so every block can be read by itself.
 */
export function announcesEvents(flags: number, bytes: Buffer, start: number, end: number): boolean {
  if ((flags & FLAG.endHeaders) === 0) return false;
  let found = false;
  new HpackDecoder().decode(bytes, blockStart(flags, start), blockEnd(flags, bytes, start, end), ({ name, value }) => {
    if (name === 'content-type') found = value.toLowerCase().startsWith(EVENTS);
  });
  return found;
}
