/** What a resolver counts for one service. */
export interface ResolverFigures {
  /** Requests held now. */
  readonly held: number;
  /** Wakes seen to their end, and their time altogether. */
  readonly wakes: number;
  readonly wakeSeconds: number;
}

const wanted = {
  held: 'elasti_resolver_queued_count',
  wakes: 'elasti_resolver_wake_seconds_count',
  wakeSeconds: 'elasti_resolver_wake_seconds_sum',
} as const;

/** Reads what a resolver's `/metrics` says of the services of one namespace, by their name. */
export function readFigures(text: string, namespace: string): Map<string, ResolverFigures> {
  const figures = new Map<string, ResolverFigures>();
  for (const [, metric, labels = '', value] of text.matchAll(/^(\w+)\{([^}]*)\} (\S+)$/gm)) {
    const field = (Object.keys(wanted) as (keyof typeof wanted)[]).find((name) => wanted[name] === metric);
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1];
    const service = label('service') ?? label('source');
    if (!field || service === undefined || label('namespace') !== namespace) continue;
    const known = figures.get(service) ?? { held: 0, wakes: 0, wakeSeconds: 0 };
    figures.set(service, { ...known, [field]: Number(value) });
  }
  return figures;
}
