import { ManualClock } from '../manual-clock.fixture';
import { explainExit } from './exit-explanation';
import { OutputLines } from './output-lines';
import { PodOutput } from './pod-output';

function linesOf(...chunks: (string | Buffer)[]): string[] {
  const told: string[] = [];
  const lines = new OutputLines((line) => told.push(line));
  for (const chunk of chunks) lines.write(Buffer.from(chunk));
  lines.end();
  return told;
}

describe('OutputLines', () => {
  it('makes whole lines of pieces', () => {
    expect(linesOf('on', 'e\ntwo\n\nthr', 'ee')).toEqual(['one', 'two', '', 'three']);
  });

  it('keeps characters whole that were cut in two', () => {
    const text = Buffer.from('schön\n');

    expect(linesOf(text.subarray(0, 4), text.subarray(4))).toEqual(['schön']);
  });

  it('tells a line without end in pieces', () => {
    const pieces = linesOf('x'.repeat(20_000), 'x'.repeat(20_000));

    expect(pieces.map(({ length }) => length)).toEqual([16_384, 16_384, 7232]);
  });
});

describe('PodOutput', () => {
  it('keeps the latest output, within its bounds', () => {
    const output = new PodOutput(new ManualClock());
    output.begin();

    for (let number = 0; number < 100_000; number++) output.add(`line ${number}`);

    const characters = output.lines().reduce((sum, { text }) => sum + text.length + 1, 0);
    expect(characters).toBeLessThanOrEqual(256 * 1024);
    expect(output.lines().length).toBeGreaterThan(1000);
    expect(output.lines().at(-1)?.text).toBe('line 99999');
  });

  it('gives the last words of the container that ran last', () => {
    const output = new PodOutput(new ManualClock());
    output.begin();
    output.add('of the first');
    output.begin();
    for (let number = 0; number < 30; number++) output.add(`line ${number}`);

    expect(output.lastWords.split('\n')).toHaveLength(21);
    expect(output.lastWords).toMatch(/^line 10\n.*line 29\n$/s);
  });

  it('tells followers of what is new until they go', () => {
    const output = new PodOutput(new ManualClock());
    const heard: string[] = [];
    output.begin();
    output.add('before');
    const stop = output.follow(
      ({ text }) => heard.push(text),
      () => heard.push('end'),
    );

    output.add('one');
    output.end();
    stop();
    output.add('two');

    expect(heard).toEqual(['one', 'end']);
  });
});

describe('explainExit', () => {
  it.each([
    ['Error: listen EADDRINUSE: address already in use 0.0.0.0:8080', "listen on the pod's own address, 127.64.0.1"],
    ['listen tcp 127.64.0.1:80: bind: permission denied', 'ports below 1024 need privileges'],
    ['Error: listen EACCES: permission denied 127.64.0.1:80', 'ports below 1024 need privileges'],
    ['Error: listen EADDRNOTAVAIL: address not available 127.64.0.1:8080', 'use the network "ports"'],
  ])('knows the way out of %j', (lastWords, hint) => {
    const message = explainExit(lastWords, '127.64.0.1');

    expect(message).toContain(lastWords);
    expect(message).toContain(hint);
  });

  it('adds nothing to what it does not know', () => {
    expect([explainExit('open /secret: permission denied', '127.64.0.1'), explainExit('', '127.64.0.1')]).toEqual([
      'open /secret: permission denied',
      '',
    ]);
  });
});
