/** Paths of fields that a JSON text sets more than once; JSON.parse keeps the last and says nothing. Assumes valid JSON. */
export function duplicateFields(text: string): string[] {
  const duplicates = new Set<string>();
  const scanner = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  const open: { readonly keys?: Set<string>; readonly path: string; index: number }[] = [];
  let pendingKey: string | undefined;
  let isKeyNext = false;

  for (const [token] of text.matchAll(scanner)) {
    const top = open.at(-1);
    const childPath = (): string => {
      if (!top) return '';
      if (!top.keys) return `${top.path}[${top.index}]`;
      return top.path === '' ? (pendingKey ?? '') : `${top.path}.${pendingKey ?? ''}`;
    };
    if (token === '{' || token === '[') {
      open.push({ keys: token === '{' ? new Set() : undefined, path: childPath(), index: 0 });
      isKeyNext = token === '{';
    } else if (token === '}' || token === ']') {
      open.pop();
      isKeyNext = false;
    } else if (token === ',') {
      if (top?.keys) isKeyNext = true;
      else if (top) top.index++;
    } else if (token === ':') isKeyNext = false;
    else if (isKeyNext && top?.keys) {
      pendingKey = JSON.parse(token) as string;
      if (top.keys.has(pendingKey)) duplicates.add(childPath());
      top.keys.add(pendingKey);
    }
  }
  return [...duplicates];
}
