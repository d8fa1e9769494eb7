/** Every mistake of the settings at once, so that one look mends them all. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(
    readonly source: string,
    readonly mistakes: readonly string[],
  ) {
    const count = mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`;
    super(`${source} has ${count}:\n${mistakes.map((mistake) => `- ${mistake}`).join('\n')}`);
  }
}
