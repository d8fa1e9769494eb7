/** Lines that wait to be sent, first in, first out; taking one costs nothing however many wait. */
export class LineQueue {
  private lines: (() => string)[] = [];
  private taken = 0;

  get length(): number {
    return this.lines.length - this.taken;
  }

  add(line: () => string): void {
    this.lines.push(line);
  }

  take(): (() => string) | undefined {
    const line = this.lines[this.taken];
    if (!line) return undefined;
    this.taken++;
    if (this.taken * 2 > this.lines.length) {
      this.lines = this.lines.slice(this.taken);
      this.taken = 0;
    }
    return line;
  }

  clear(): void {
    this.lines = [];
    this.taken = 0;
  }
}
