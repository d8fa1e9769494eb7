import { shardOf } from '@elasti/api';

/** The resolver ports that are handed out. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** The ConfigMaps that a range is kept in; a narrower range than all has fewer. */
export function shardsOf({ first, last }: PortRange): number[] {
  return Array.from({ length: shardOf(last) - shardOf(first) + 1 }, (_, index) => shardOf(first) + index);
}
