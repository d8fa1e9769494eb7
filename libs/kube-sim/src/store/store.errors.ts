/** The asked version is older than the oldest one that is still kept. */
export class CompactedError extends Error {
  constructor(
    readonly requested: number,
    readonly oldest: number,
  ) {
    super(`version ${requested} is gone, the oldest kept is ${oldest}`);
    this.name = 'CompactedError';
  }
}
