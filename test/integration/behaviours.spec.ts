import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** The numbered lines of BEHAVIOURS.md, each as its sentences. */
function promisedSentences(): [number: number, sentence: string][] {
  const text = readFileSync(join(root, 'libs/operator-kit/BEHAVIOURS.md'), 'utf8');
  return [...text.matchAll(/^(\d+)\. (.+)$/gm)].flatMap(([, number, line]) =>
    (line ?? '').split(/(?<=[.!?])\s+(?=[A-Z0-9])/).map((sentence): [number, string] => [Number(number), sentence]),
  );
}

/** Every test name in the spec files, without the marks that a string literal needs. */
function testNames(): Set<string> {
  const files = globSync(['libs/operator-kit/src/**/*.spec.ts', 'test/**/*.spec.ts'], { cwd: root });
  const names = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\b(?:it|test)\(\s*(?:'((?:[^'\\]|\\.)+)'|"((?:[^"\\]|\\.)+)"|`([^`]+)`)/g)].map(
      (match) => match[1] ?? match[2] ?? match[3] ?? '',
    ),
  );
  return new Set(names.map(plain));
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[\\'"`]/g, '')
    .replace(/[.;:\s]+$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('the promises of the kit', () => {
  const names = testNames();
  const sentences = promisedSentences();

  it('are forty-six', () => {
    expect(new Set(sentences.map(([number]) => number)).size).toBe(46);
  });

  it.each(sentences)('%i is tested: %s', (_number, sentence) => {
    const parts = names.has(plain(sentence)) ? [sentence] : sentence.split(/;\s+/);

    expect(parts.filter((part) => !names.has(plain(part)))).toEqual([]);
  });
});
