/** Where the resolvers listen: outside the ephemeral range of Linux, which begins at 32768. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const resolverPorts: PortRange = { first: 20_000, last: 29_999 };

/** Ports in one ConfigMap: with names of the greatest length it stays well below the megabyte that an object may have. */
export const portsPerShard = 2_500;

/** The ConfigMap that keeps the record of this port. */
export function shardOf(port: number): number {
  return Math.floor((port - resolverPorts.first) / portsPerShard);
}

export function shardName(shard: number): string {
  return `elasti-routes-${shard}`;
}

/** The ConfigMaps that a range is kept in; a narrower range than all has fewer. */
export function shardsOf({ first, last }: PortRange): number[] {
  return Array.from({ length: shardOf(last) - shardOf(first) + 1 }, (_, index) => shardOf(first) + index);
}
