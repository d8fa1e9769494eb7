/** What a matcher looks at. */
export interface ProbeRequest {
  readonly method: string;
  /** As the request line has it: a path with its query, or a whole URL. */
  readonly target: string;
  /** The value of a header, by its name in small letters; several of one name joined by `, `. */
  header(name: string): string | undefined;
}

/** Path and query of a request target, as they were sent. */
export function splitTarget(target: string): { path: string; query: string } {
  const withoutFragment = cutAt(target, '#');
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(withoutFragment)?.[0] ?? '';
  const rest = withoutFragment.slice(origin.length);
  const path = cutAt(rest, '?');
  return { path: path === '' ? '/' : path, query: rest.slice(path.length + 1) };
}

function cutAt(text: string, mark: string): string {
  const index = text.indexOf(mark);
  return index < 0 ? text : text.slice(0, index);
}
