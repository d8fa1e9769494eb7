import { StringDecoder } from 'node:string_decoder';

/** Longer lines are told in pieces, so that a program which never ends its line fills no memory. */
const LONGEST_LINE = 16 * 1024;

/** Makes lines of a stream of bytes. */
export class OutputLines {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';

  constructor(private readonly onLine: (line: string) => void) {}

  write(chunk: Buffer): void {
    const lines = (this.rest + this.decoder.write(chunk)).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.tell(line);
    while (this.rest.length >= LONGEST_LINE) {
      this.onLine(this.rest.slice(0, LONGEST_LINE));
      this.rest = this.rest.slice(LONGEST_LINE);
    }
  }

  /** The last line may lack its end. */
  end(): void {
    const last = this.rest + this.decoder.end();
    this.rest = '';
    if (last !== '') this.tell(last);
  }

  private tell(line: string): void {
    for (let start = 0; start === 0 || start < line.length; start += LONGEST_LINE) this.onLine(line.slice(start, start + LONGEST_LINE));
  }
}
