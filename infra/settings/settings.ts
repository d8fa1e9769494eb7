import { type FieldProblem, type Fields, type JsonSchema, readStrictly, schemaOf } from '@elasti/operator-kit';
import { parseDocument } from 'yaml';
import { contradictionsIn } from './contradictions';
import { SettingsFile, type wakeAuths } from './settings-file';
import { SettingsError } from './settings.errors';

export type WakeAuth = (typeof wakeAuths)[number];

/** The settings of an installation, complete and sound. */
export type Settings = Omit<Fields<SettingsFile>, 'wakeAuth'> & { readonly wakeAuth: WakeAuth };

export interface SettingsSource {
  /** What mistakes are said of. */
  readonly name: string;
  readonly text: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings of an installation. The images in OPERATOR_IMAGE and RESOLVER_IMAGE come before those in the file.
 *
 * @throws SettingsError that names every field which is unknown or wrong
 */
export function parseSettings({ name, text }: SettingsSource, env: Environment = {}): Settings {
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    throw new SettingsError(
      name,
      document.errors.map(({ message }) => message),
    );
  }
  return settingsFrom(withImages((document.toJS() as unknown) ?? {}, env), name);
}

/** The defaults, and what is given instead of them. @throws SettingsError */
export function settingsFrom(given: unknown = {}, name = 'the settings'): Settings {
  const { value, problems } = readStrictly(SettingsFile, given);
  const settings = problems.length === 0 ? complete(value) : undefined;
  const contradictions = settings ? contradictionsIn(settings) : contradictionsBeside(problems, given);
  const mistakes = [...problems.map(inWords), ...contradictions];
  if (!settings || mistakes.length > 0) throw new SettingsError(name, mistakes);
  return Object.freeze(settings);
}

function complete(file: Fields<SettingsFile>): Settings {
  return { ...file, wakeAuth: file.wakeAuth ?? (file.variant === 'namespaced' ? 'shared-secret' : 'token-review') };
}

/** Those of the fields that have no problem of their own, so that mending the others does not bring them to light one by one. */
function contradictionsBeside(problems: readonly FieldProblem[], given: unknown): string[] {
  const rest = structuredClone(given);
  for (const { field } of problems) remove(rest, field.replace(/\[.*/, '').split('.'));
  const { value, problems: left } = readStrictly(SettingsFile, rest);
  if (left.length > 0) return [];
  // A field that was taken out is not missing.
  return contradictionsIn(complete(value)).filter((mistake) => !problems.some(({ field }) => mistake.startsWith(`${field} `)));
}

function remove(from: unknown, [step = '', ...further]: readonly string[]): void {
  if (typeof from !== 'object' || from === null) return;
  if (further.length === 0) Reflect.deleteProperty(from, step);
  else remove(Reflect.get(from, step), further);
}

function withImages(given: unknown, env: Environment): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const file: Record<string, unknown> = { ...given };
  for (const [program, image] of Object.entries({ operator: env.OPERATOR_IMAGE, resolver: env.RESOLVER_IMAGE })) {
    const section = file[program] ?? {};
    if (image && typeof section === 'object') file[program] = { ...section, image };
  }
  return file;
}

/** The path, what is wrong, and what the field is for. */
function inWords({ field, message }: FieldProblem): string {
  const about = descriptionAt(schemaOf(SettingsFile), field);
  return [field || 'the file', message, about && `(${about})`].filter(Boolean).join(' ');
}

function descriptionAt(schema: JsonSchema, field: string): string | undefined {
  let here: JsonSchema | undefined = schema;
  for (const step of field.split(/\.|(?=\[)/))
    here = step.startsWith('[') ? here?.items : (here?.properties?.[step] ?? here?.additionalProperties);
  return here?.description;
}
