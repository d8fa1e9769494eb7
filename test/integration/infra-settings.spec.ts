import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsExample, settingsTable } from '../../infra/settings/settings-docs';
import { parseSettings, settingsFrom } from '../../infra/settings/settings';

const read = (file: string) => readFileSync(join(__dirname, '../../infra', file), 'utf8');
/** As prettier and `npm run docs:settings` may have laid it out. */
const plain = (text: string) =>
  text
    .replaceAll(/[ \t]+/g, '')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll('"', "'");

describe('what is written about the settings', () => {
  it("has the README's table from the classes that check them (npm run docs:settings)", () => {
    expect(plain(read('README.md'))).toContain(plain(settingsTable()));
  });

  it('has every setting in the file of defaults (npm run docs:settings)', () => {
    const written = plain(read('elasti.settings.yaml')).split('\n');

    expect(
      plain(settingsExample())
        .split('\n')
        .filter((line) => !written.includes(line)),
    ).toEqual([]);
  });

  it('has a file of defaults that changes nothing', () => {
    expect(parseSettings({ name: 'elasti.settings.yaml', text: read('elasti.settings.yaml') })).toEqual(settingsFrom());
  });
});
