/** What went wrong, in one sentence for whoever started the playground, with the way out. It needs no stack. */
export class PlaygroundError extends Error {
  override readonly name = 'PlaygroundError';
}
