import type { ServiceSight } from '../sights';
import { PlainView } from './plain.view';
import { TerminalView } from './terminal.view';

const web: ServiceSight = { name: 'web', url: 'http://a', state: 'asleep', mode: 'proxy', replicas: { ready: 0, wanted: 0 }, held: 0 };

function setup() {
  const written: string[] = [];
  const screen = { write: (text: string) => written.push(text), getWindowSize: (): [number, number] => [100, 30] };
  return { written, screen };
}

describe('TerminalView', () => {
  it('draws the table anew in its place, below what is said', () => {
    const { written, screen } = setup();
    const view = new TerminalView(screen, () => 0);

    view.say('hello');
    view.show([web]);
    view.say('web wakes');

    expect(written[0]).toBe('hello\n');
    expect(written[1]).toMatch(/^\x1b\[\?25l\nSERVICE .*\nweb .*asleep.*\n$/);
    expect(written[2]).toMatch(/^\x1b\[3A\x1b\[0Jweb wakes\n\nSERVICE .*\nweb .*\n$/);
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
