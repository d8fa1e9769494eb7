import type { ServiceSight } from '../sights';
import { formatTable } from './format';
import { PlainView } from './plain.view';
import { TerminalView } from './terminal.view';

const web: ServiceSight = { name: 'web', url: 'http://a', state: 'asleep', mode: 'proxy', replicas: { ready: 0, wanted: 0 }, held: 0 };

function setup() {
  const written: string[] = [];
  const screen = { write: (text: string) => written.push(text), getWindowSize: (): [number, number] => [100, 30] };
  return { written, screen };
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
