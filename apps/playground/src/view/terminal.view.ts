import type { ServiceSight } from '../sights';
import { formatTable } from './format';
import type { Screen, View } from './view';

const up = (lines: number) => (lines > 0 ? `\x1b[${lines}A` : '');
const clearBelow = '\x1b[0J';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';

/** What is said scrolls by; the table below it is drawn again and again in its place. The cursor is back when it is closed. */
export class TerminalView implements View {
  private table: string[] = [];
  private state: 'fresh' | 'drawn' | 'closed' = 'fresh';

  constructor(
    private readonly screen: Screen,
    private readonly nowMs: () => number,
  ) {}

  say(text: string): void {
    this.draw(`${text}\n`, this.table);
  }

  show(sights: readonly ServiceSight[]): void {
    const [width] = this.screen.getWindowSize?.() ?? [80];
    // A line that fills the last column would make some terminals begin another one.
    const table = ['', ...formatTable(sights, this.nowMs(), width - 1)];
    if (table.join('\n') !== this.table.join('\n')) this.draw('', table);
  }

  close(): void {
    if (this.state === 'drawn') this.screen.write(showCursor);
    this.state = 'closed';
  }

  private draw(above: string, table: string[]): void {
    if (this.state === 'closed') return;
    const cursor = this.state === 'fresh' && table.length > 0 ? hideCursor : '';
    if (cursor) this.state = 'drawn';
    this.screen.write(
      `${cursor}${up(this.table.length)}${this.table.length > 0 ? clearBelow : ''}${above}${table.map((line) => `${line}\n`).join('')}`,
    );
    this.table = table;
  }
}
