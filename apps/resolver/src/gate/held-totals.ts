/** What is held for all Services together. */
export class HeldTotals {
  requests = 0;
  bytes = 0;

  add(bytes: number): void {
    this.requests++;
    this.bytes += bytes;
  }

  remove(bytes: number): void {
    this.requests--;
    this.bytes -= bytes;
  }
}
