import type { ServiceSight } from '../sights';
import { formatTable } from './format';
import type { Screen, View } from './view';

const up = (rows: number) => (rows > 0 ? `\x1b[${rows}A` : '');
const clearBelow = '\x1b[0J';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';

/** What is said scrolls by; the table below it is drawn again and again in its place, also when the terminal's width changes. The cursor is back when it is closed. */
export class TerminalView implements View {
  private sights: readonly ServiceSight[] = [];
  private table: string[] = [];
  private state: 'fresh' | 'drawn' | 'closed' = 'fresh';
  private readonly onResize = () => {
    if (this.state === 'drawn') this.draw('', this.tableOf(this.sights));
  };

  constructor(
    private readonly screen: Screen,
    private readonly nowMs: () => number,
  ) {
    screen.on?.('resize', this.onResize);
  }

  say(text: string): void {
    this.draw(`${text}\n`, this.table);
  }

  show(sights: readonly ServiceSight[]): void {
    this.sights = sights;
    const table = this.tableOf(sights);
    if (table.join('\n') !== this.table.join('\n')) this.draw('', table);
  }

  close(): void {
    this.screen.off?.('resize', this.onResize);
    if (this.state === 'drawn') this.screen.write(showCursor);
    this.state = 'closed';
  }

  private tableOf(sights: readonly ServiceSight[]): string[] {
    // A line that fills the last column would make some terminals begin another one.
    return ['', ...formatTable(sights, this.nowMs(), this.width - 1)];
  }

  private draw(above: string, table: string[]): void {
    if (this.state === 'closed') return;
    const cursor = this.state === 'fresh' && table.length > 0 ? hideCursor : '';
    if (cursor) this.state = 'drawn';
    const former = this.table.length > 0 ? `${up(this.rowsOf(this.table))}${clearBelow}` : '';
    this.screen.write(`${cursor}${former}${above}${table.map((line) => `${line}\n`).join('')}`);
    this.table = table;
  }

  /** Terminals break the lines of a wider time into several rows when they become narrower. */
  private rowsOf(table: readonly string[]): number {
    return table.reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / this.width)), 0);
  }

  private get width(): number {
    const [width] = this.screen.getWindowSize?.() ?? [80];
    return Math.max(2, width);
  }
}
