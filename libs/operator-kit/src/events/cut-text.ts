const ellipsis = '…';

/** The text, cut to so many bytes of UTF-8, never in the middle of a character. */
export function cutText(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;

  let bytes = Buffer.byteLength(ellipsis);
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept + ellipsis;
}
