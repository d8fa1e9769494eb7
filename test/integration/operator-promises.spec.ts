import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const text = `(?:'((?:[^'\\\\]|\\\\.)+)'|"((?:[^"\\\\]|\\\\.)+)"|\`([^\`]+)\`)`;

/** The numbered sentences of PROMISES.md. */
function promises(): [number: number, sentence: string][] {
  const lines = readFileSync(join(root, 'apps/operator/PROMISES.md'), 'utf8').matchAll(/^(\d+)\. (.+)$/gm);
  return [...lines].map(([, number, sentence]) => [Number(number), sentence ?? '']);
}

/** Every test of the operator by its own name and by the one that it has after that of what it describes. */
function testNames(): Set<string> {
  const files = globSync(['apps/operator/src/**/*.spec.ts', 'test/integration/operator*.spec.ts'], { cwd: root });
  return new Set(files.flatMap((file) => namesIn(readFileSync(join(root, file), 'utf8'))).map(plain));
}

function namesIn(source: string): string[] {
  let described = '';
  return [...source.matchAll(new RegExp(`\\b(describe|it|test)\\(\\s*${text}`, 'g'))].flatMap(([, what, ...quoted]) => {
    const name = quoted.find(Boolean) ?? '';
    if (what !== 'describe') return [name, `${described} ${name}`];
    described = name;
    return [];
  });
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\\'"`]/g, '')
    .replace(/[.;:\s]+$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('the promises of the operator', () => {
  const names = testNames();
  const sentences = promises();

  it('are counted from one, without a gap', () => {
    expect(sentences.map(([number]) => number)).toEqual(sentences.map((_, index) => index + 1));
  });

  it.each(sentences)('%i is tested: %s', (_number, sentence) => {
    expect(names).toContain(plain(sentence));
  });
});
