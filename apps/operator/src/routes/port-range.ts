/** Where the resolvers listen: outside the ephemeral range of Linux, which begins at 32768. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const resolverPorts: PortRange = { first: 20_000, last: 29_999 };

/** Ports in one ConfigMap: with names of the greatest length it stays well below the megabyte that an object may have. */
export const portsPerShard = 2_500;

/** The ConfigMap that keeps the record of this port. */
export function shardOf(port: number, { first }: PortRange = resolverPorts): number {
  return Math.floor((port - first) / portsPerShard);
}

export function shardName(shard: number): string {
  return `elasti-routes-${shard}`;
}
