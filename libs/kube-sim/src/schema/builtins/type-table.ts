/**
 * The field tables of the built-in kinds, in a notation of one line a type (indented lines continue it):
 *
 *     package io.k8s.api.apps.v1 apps/v1
 *     Deployment kind: metadata ObjectMeta; spec DeploymentSpec; status DeploymentStatus
 *     DeploymentSpec: replicas int32; template! PodTemplateSpec; strategy DeploymentStrategy retainKeys
 *
 * `!` means required, `[]` a list, `{}` a map by string, `*` a scalar whose zero
 * is kept when it is set (other zeros are the same as nothing). After the type come marks: `map=a,b` and `set` (list types of server-side apply;
 * none means atomic), `atomic` (map type), `merge=key`, `merge`, `replace` and `retainKeys` (strategic merge), `default=x`. `kind` says the type is an
 * object of the API, with apiVersion and kind of the package's group and version. A type name is looked up in its own package first.
 */
export interface TypeTable {
  readonly types: ReadonlyMap<string, TypeRow>;
  /** Full type names by `group/version/Kind`. */
  readonly kinds: ReadonlyMap<string, string>;
}

export interface TypeRow {
  readonly name: string;
  readonly atomic: boolean;
  readonly groupVersion: string | undefined;
  readonly isKind: boolean;
  readonly fields: readonly FieldRow[];
  readonly fieldsByName: ReadonlyMap<string, FieldRow>;
}

export interface FieldRow {
  readonly name: string;
  readonly required: boolean;
  readonly keepsZero: boolean;
  readonly type: TypeRef;
  readonly marks: Marks;
}

export type TypeRef =
  | { readonly form: 'named'; readonly name: string }
  | { readonly form: 'scalar'; readonly name: string }
  | { readonly form: 'list' | 'map'; readonly of: TypeRef };

export interface Marks {
  readonly mapKeys?: readonly string[];
  readonly set?: boolean;
  readonly atomic?: boolean;
  readonly merge?: { readonly key: string | undefined };
  readonly retainKeys?: boolean;
  readonly replace?: boolean;
  readonly default?: string;
}

const SCALARS: ReadonlySet<string> = new Set(
  'string int32 int64 integer number boolean byte date-time micro-time int-or-string quantity object any'.split(' '),
);

interface Entry {
  readonly packageName: string;
  readonly groupVersion: string | undefined;
  readonly text: string;
}

export function kindKey(group: string, version: string, kind: string): string {
  return `${group}/${version}/${kind}`;
}

export function parseTypeTable(sources: readonly string[]): TypeTable {
  const entries = sources.flatMap(readEntries);
  const names = new Set(entries.map((entry) => `${entry.packageName}.${nameOf(entry.text)}`));
  const byShortName = new Map([...names].map((name) => [name.slice(name.lastIndexOf('.') + 1), name]));
  const types = new Map<string, TypeRow>();
  const kinds = new Map<string, string>();
  for (const entry of entries) {
    const row = parseRow(entry, (short) => {
      const local = `${entry.packageName}.${short}`;
      const found = names.has(local) ? local : byShortName.get(short);
      if (found === undefined) throw new Error(`type table: ${entry.packageName} names ${short}, which no package declares`);
      return found;
    });
    types.set(row.name, row);
    if (row.isKind && row.groupVersion !== undefined) kinds.set(`${qualified(row.groupVersion)}/${nameOf(entry.text)}`, row.name);
  }
  return { types, kinds };
}

/** `v1` is the core group, whose name is empty. */
export function qualified(groupVersion: string): string {
  return groupVersion.includes('/') ? groupVersion : `/${groupVersion}`;
}

function readEntries(source: string): Entry[] {
  const entries: Entry[] = [];
  let packageName = '';
  let groupVersion: string | undefined;
  for (const line of source.replaceAll('\n  ', ' ').split('\n')) {
    if (line === '') continue;
    if (line.startsWith('package ')) [, packageName = '', groupVersion] = line.split(' ');
    else entries.push({ packageName, groupVersion, text: line });
  }
  return entries;
}

function nameOf(text: string): string {
  return /^\w+/.exec(text)?.[0] ?? '';
}

function parseRow(entry: Entry, resolve: (short: string) => string): TypeRow {
  const colon = entry.text.indexOf(':');
  const head = entry.text.slice(0, colon).split(' ');
  const body = entry.text.slice(colon + 1).trim();
  const isKind = head.includes('kind');
  const own = body === '' ? [] : body.split('; ').map((text) => parseField(text, resolve));
  const fields = isKind ? [...kindFields, ...own] : own;
  return {
    name: `${entry.packageName}.${nameOf(entry.text)}`,
    atomic: head.includes('atomic'),
    groupVersion: entry.groupVersion,
    isKind,
    fields,
    fieldsByName: new Map(fields.map((field) => [field.name, field])),
  };
}

const kindFields: readonly FieldRow[] = ['apiVersion', 'kind'].map((name) => ({
  name,
  required: false,
  keepsZero: true,
  type: { form: 'scalar', name: 'string' },
  marks: {},
}));

function parseField(text: string, resolve: (short: string) => string): FieldRow {
  const [label = '', type = '', ...marks] = text.split(' ');
  return {
    name: label.replace('!', ''),
    required: label.endsWith('!'),
    keepsZero: type.startsWith('*') || label.endsWith('!'),
    type: parseType(type.replace('*', ''), resolve),
    marks: Object.assign({}, ...marks.map(parseMark)) as Marks,
  };
}

function parseType(text: string, resolve: (short: string) => string): TypeRef {
  if (text.startsWith('[]')) return { form: 'list', of: parseType(text.slice(2), resolve) };
  if (text.startsWith('{}')) return { form: 'map', of: parseType(text.slice(2), resolve) };
  return SCALARS.has(text) ? { form: 'scalar', name: text } : { form: 'named', name: resolve(text) };
}

function parseMark(text: string): Marks {
  const [name = '', value] = text.split('=');
  switch (name) {
    case 'map':
      return { mapKeys: value?.split(',') ?? [] };
    case 'merge':
      return { merge: { key: value } };
    case 'set':
      return { set: true };
    case 'atomic':
      return { atomic: true };
    case 'retainKeys':
      return { retainKeys: true };
    case 'replace':
      return { replace: true };
    case 'default':
      return { default: value ?? '' };
    default:
      throw new Error(`type table: unknown mark ${text}`);
  }
}
