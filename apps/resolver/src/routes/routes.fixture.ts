import type { ConfigMap } from '@elasti/operator-kit';

export type Lines = Record<number | string, string>;

/** A ConfigMap of routes; the values are `shop/web/80`, with `greets` behind it when the server speaks first, `freed` for a freed port, or any other text as it is. */
export function aShard(lines: Lines, shard = 0, namespace = 'elasti'): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `elasti-routes-${shard}`, namespace, labels: { 'elasti.truefoundry.com/routes': 'true' } },
    data: Object.fromEntries(Object.entries(lines).map(([key, text]) => [key, lineOf(text)])),
  };
}

function lineOf(text: string): string {
  const [, namespace, service, port, greets, freed] = /^([^/{]+)\/([^/]+)\/(\d+)( greets)?( freed)?$/.exec(text) ?? [];
  if (namespace === undefined) return text;
  return JSON.stringify({
    namespace,
    service,
    port: Number(port),
    ...(greets && { speaksFirst: 'server' }),
    ...(freed && { freedAt: '2030-01-01T00:00:00.000Z' }),
  });
}
