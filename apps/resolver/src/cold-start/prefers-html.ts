interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

const HTML = new Set(['text/html', 'application/xhtml+xml']);
/** Nobody prefers among more than this. */
const RANGE_LIMIT = 32;

/**
 * Whether an Accept header asks for a page before anything else: it names HTML, nothing that it names weighs more, and nothing of the
 * same weight comes earlier. A range with a star names nothing.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',', RANGE_LIMIT).map(parseRange);
  const [best] = ranges.filter(({ type, weight }) => weight > 0 && !type.includes('*')).sort((a, b) => b.weight - a.weight);
  return best !== undefined && HTML.has(best.type);
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
}
