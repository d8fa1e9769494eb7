/** A metric as a query names it, with the labels that the query asks it for. */
export interface NamedSeries {
  readonly metric: string;
  readonly labels: readonly string[];
}

const words = new Set(['and', 'or', 'unless', 'offset', 'bool']);
const selected = /([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}/g;
const grouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

/** Every metric that a query names. What is called like a function is none; strings and durations are no names. */
export function seriesIn(query: string): NamedSeries[] {
  const plain = query.replace(/\[[^\]]*\]/g, '').replace(/\boffset\s+\w+/g, '');
  const withMatchers = [...plain.matchAll(selected)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"[^"]*"/g)].map(([, label = '']) => label),
  }));
  const rest = plain
    .replace(selected, '')
    .replace(grouping, '')
    .replace(/"[^"]*"/g, '');
  const alone = [...rest.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)\s*(\(?)/g)]
    .filter(([, name = '', call]) => call === '' && !words.has(name))
    .map(([, metric = '']) => ({ metric, labels: [] }));
  return [...withMatchers, ...alone];
}

/** The labels that a query keeps or joins by. */
export function groupingIn(query: string): string[] {
  return [...query.matchAll(grouping)].flatMap(([, labels = '']) =>
    labels
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );
}
