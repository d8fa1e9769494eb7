/** Lists the services in whose name a resolver has already passed this request on. */
export const MARKER_FIELD = 'x-elasti-via';

/** A chain of sleeping services that is longer than this is taken for a loop. */
const LONGEST_CHAIN = 8;

/**
 * A request that comes back for a service it was already passed on for runs in a circle.
 *
 * Only the same service counts: a pod that copies all headers to the next service behind Elasti is no loop.
 */
export function isLoop(marker: string, hop: string): boolean {
  if (marker === '') return false;
  const hops = marker.split(',');
  return hops.length >= LONGEST_CHAIN || hops.some((one) => one.trim() === hop);
}
