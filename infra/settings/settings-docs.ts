import { type Json, type JsonSchema, schemaOf } from '@elasti/operator-kit';
import { SettingsFile } from './settings-file';

/** One setting, as the README shows it. */
interface SettingRow {
  readonly path: string;
  readonly schema: JsonSchema;
}

/** Every setting with its default and meaning, as rows of a Markdown table. */
export function settingsTable(): string {
  const rows = rowsOf(schemaOf(SettingsFile), '').map(
    ({ path, schema }) => `| \`${path}\` | ${defaultOf(schema)} | ${schema.description ?? ''} |`,
  );
  return ['| setting | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The settings file with every default written out and every other setting as a comment. */
export function settingsExample(): string {
  const head = [
    '# The settings of an installation, with their defaults. Everything may be left out; an unknown or wrong key stops `npm run synth`.',
    '# infra/README.md has them as a table.',
  ];
  return [...head, ...linesOf(schemaOf(SettingsFile), 0), ''].join('\n');
}

function rowsOf({ properties = {} }: JsonSchema, path: string): SettingRow[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const here = path ? `${path}.${name}` : name;
    if (schema.properties) return rowsOf(schema, here);
    return [{ path: here, schema }, ...(schema.items?.properties ? rowsOf(schema.items, `${here}[]`) : [])];
  });
}

function defaultOf({ default: value, enum: allowed }: JsonSchema): string {
  const choice = allowed?.map(quoted).join(', ');
  if (value === undefined) return choice === undefined ? '' : `one of ${choice}`;
  return choice === undefined ? quoted(value) : `${quoted(value)}; of ${choice}`;
}

function quoted(value: Json): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function linesOf({ properties = {} }: JsonSchema, depth: number): string[] {
  const indent = '  '.repeat(depth);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const comment = `${indent}# ${schema.description ?? ''}`;
    const isAbsent = schema.default === undefined;
    if (schema.properties)
      return [comment, isAbsent ? `${indent}# ${name}: {}` : `${indent}${name}:`, ...(isAbsent ? [] : linesOf(schema, depth + 1))];
    return [comment, isAbsent ? `${indent}# ${name}:` : `${indent}${name}: ${JSON.stringify(schema.default)}`];
  });
}
