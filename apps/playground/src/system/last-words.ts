/** The last lines that somebody has written: enough to see why it does not get up. */
export class LastWords {
  private readonly lines: string[] = [];

  constructor(private readonly most = 20) {}

  add(line: string): void {
    this.lines.push(line);
    if (this.lines.length > this.most) this.lines.shift();
  }

  get text(): string {
    return this.lines.join('\n');
  }
}
