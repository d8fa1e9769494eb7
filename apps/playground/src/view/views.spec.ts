import { EventEmitter } from 'node:events';
import type { ServiceSight } from '../sights';
import { formatTable } from './format';
import { PlainView } from './plain.view';
import { TerminalView } from './terminal.view';

const web: ServiceSight = { name: 'web', url: 'http://a', state: 'asleep', mode: 'proxy', replicas: { ready: 0, wanted: 0 }, held: 0 };

function setup() {
  const written: string[] = [];
  const resized = new EventEmitter();
  let width = 100;
  const screen = {
    write: (text: string) => written.push(text),
    getWindowSize: (): [number, number] => [width, 30],
    on: (event: 'resize', listener: () => void) => resized.on(event, listener),
    off: (event: 'resize', listener: () => void) => resized.off(event, listener),
  };
  const resize = (columns: number) => {
    width = columns;
    resized.emit('resize');
  };
  return { written, screen, resize, listeners: () => resized.listenerCount('resize') };
}

describe('TerminalView', () => {
  it('draws the table in its place, below what is said, and only when it has changed', () => {
    const { written, screen } = setup();
    const view = new TerminalView(screen, () => 0);

    view.say('hello');
    view.show([web]);
    view.show([web]);
    view.say('web wakes');

    const table = `\n${formatTable([web], 0, 99).join('\n')}\n`;
    expect(written).toEqual(['hello\n', `\x1b[?25l${table}`, `\x1b[3A\x1b[0Jweb wakes\n${table}`]);
  });

  it('draws the table anew for a narrower terminal, over all rows that its lines have become there', () => {
    const { written, screen, resize } = setup();
    const view = new TerminalView(screen, () => 0);
    view.show([web]);
    const [head = '', row = ''] = formatTable([web], 0, 99);

    resize(30);

    // The empty line above the table, and two for each of its own.
    expect([head.length, row.length].every((length) => length > 30 && length <= 60)).toBe(true);
    expect(written.at(-1)).toBe(`\x1b[5A\x1b[0J\n${formatTable([web], 0, 29).join('\n')}\n`);
  });

  it('draws the table anew for a wider terminal', () => {
    const { written, screen, resize } = setup();
    const view = new TerminalView(screen, () => 0);
    resize(30);
    view.show([web]);

    resize(200);

    expect(written.at(-1)).toBe(`\x1b[3A\x1b[0J\n${formatTable([web], 0, 199).join('\n')}\n`);
  });

  it('hears nothing of the terminal any more after it is closed', () => {
    const { screen, listeners } = setup();
    const view = new TerminalView(screen, () => 0);

    view.close();

    expect(listeners()).toBe(0);
  });

  it('gives the cursor back when it is closed, and draws nothing after that', () => {
    const { written, screen } = setup();
    const view = new TerminalView(screen, () => 0);
    view.show([web]);

    view.close();
    view.show([web]);

    expect(written.at(-1)).toBe('\x1b[?25h');
  });
});

describe('PlainView', () => {
  it('writes lines and nothing that only a terminal understands', () => {
    const { written, screen } = setup();
    const view = new PlainView(screen);

    view.show();
    view.say('web wakes');
    view.close();

    expect(written).toEqual(['web wakes\n']);
  });
});
