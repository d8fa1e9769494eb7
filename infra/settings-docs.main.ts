import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsExample, settingsTable } from './settings/settings-docs';

// Writes what people read about the settings from the classes that check them: the table in the README, and the file of defaults.
const folder = join(__dirname, '..');
const readme = join(folder, 'README.md');
const [before = '', , after = ''] = readFileSync(readme, 'utf8').split(/^<!-- \/?settings -->$/m);
writeFileSync(readme, `${before}<!-- settings -->\n\n${settingsTable()}\n\n<!-- /settings -->${after}`);
writeFileSync(join(folder, 'elasti.settings.yaml'), settingsExample());
