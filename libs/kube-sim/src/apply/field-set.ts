import { isObject } from '../schema';
import type { JsonObject } from '../schema';

/** One step of a path as `fieldsV1` spells it: `f:name`, `k:{"name":"web"}`, `v:"x"`, `i:0`. */
export type PathElement = string;
export type FieldPath = readonly PathElement[];

/**
 * An immutable set of field paths, the currency of field ownership. A path can be a member without its children being members, and the
 * other way round; `fieldsV1` marks a member that also has children with a dot.
 */
export class FieldSet {
  static readonly empty = new FieldSet(new Set(), new Map());

  private constructor(
    private readonly members: Set<PathElement>,
    private readonly children: Map<PathElement, FieldSet>,
  ) {}

  static of(paths: Iterable<FieldPath>): FieldSet {
    const root = new FieldSet(new Set(), new Map());
    for (const path of paths) root.insert(path);
    return root;
  }

  static fromJson(fields: JsonObject): FieldSet {
    const members = new Set<PathElement>();
    const children: [PathElement, FieldSet][] = [];
    for (const [element, value] of Object.entries(fields)) {
      if (element === '.' || !isObject(value)) continue;
      const inner = Object.keys(value);
      if (inner.length === 0 || inner.includes('.')) members.add(element);
      children.push([element, FieldSet.fromJson(value)]);
    }
    return FieldSet.make(members, children);
  }

  private static make(members: Set<PathElement>, children: Iterable<readonly [PathElement, FieldSet]>): FieldSet {
    return new FieldSet(members, new Map([...children].filter(([, inner]) => !inner.isEmpty)));
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  toJson(): JsonObject {
    const json: JsonObject = {};
    for (const element of this.elements().sort()) {
      const inner = this.children.get(element)?.toJson();
      if (inner === undefined) json[element] = {};
      else json[element] = this.members.has(element) ? { '.': {}, ...inner } : inner;
    }
    return json;
  }

  has(element: PathElement): boolean {
    return this.members.has(element);
  }

  hasPath(path: FieldPath): boolean {
    const [head, ...rest] = path;
    if (head === undefined) return false;
    return rest.length === 0 ? this.members.has(head) : this.below(head).hasPath(rest);
  }

  /** The paths under one element, without it. */
  below(element: PathElement): FieldSet {
    return this.children.get(element) ?? FieldSet.empty;
  }

  /** Members before what lies deeper, as conflicts are told. */
  paths(): FieldPath[] {
    const deeper = [...this.children].sort(([left], [right]) => (left < right ? -1 : 1));
    return [
      ...[...this.members].sort().map((element) => [element]),
      ...deeper.flatMap(([element, inner]) => inner.paths().map((rest) => [element, ...rest])),
    ];
  }

  union(other: FieldSet): FieldSet {
    const children = [...new Set([...this.children.keys(), ...other.children.keys()])];
    return FieldSet.make(
      new Set([...this.members, ...other.members]),
      children.map((element) => [element, this.below(element).union(other.below(element))] as const),
    );
  }

  intersection(other: FieldSet): FieldSet {
    return FieldSet.make(
      new Set([...this.members].filter((element) => other.members.has(element))),
      [...this.children].map(([element, inner]) => [element, inner.intersection(other.below(element))] as const),
    );
  }

  /** Takes away the other's members, not what lies below them. */
  difference(other: FieldSet): FieldSet {
    return FieldSet.make(
      new Set([...this.members].filter((element) => !other.members.has(element))),
      [...this.children].map(([element, inner]) => [element, inner.difference(other.below(element))] as const),
    );
  }

  /** Adds every element that has something below it and passes the test. */
  withMembers(isNamed: (element: PathElement, parent: FieldPath) => boolean, parent: FieldPath = []): FieldSet {
    const named = [...this.children.keys()].filter((element) => isNamed(element, parent));
    return FieldSet.make(
      new Set([...this.members, ...named]),
      [...this.children].map(([element, inner]) => [element, inner.withMembers(isNamed, [...parent, element])] as const),
    );
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** Only while a set is being made. */
  private insert(path: FieldPath, depth = 0): void {
    const element = path[depth];
    if (element === undefined) return;
    if (depth === path.length - 1) {
      this.members.add(element);
      return;
    }
    const known = this.children.get(element);
    const below = known ?? new FieldSet(new Set(), new Map());
    if (known === undefined) this.children.set(element, below);
    below.insert(path, depth + 1);
  }

  private elements(): PathElement[] {
    return [...new Set([...this.members, ...this.children.keys()])];
  }
}

/** `.spec.containers[name="web"].image`, as conflict messages print a path. */
export function printPath(path: FieldPath): string {
  return path.map(printElement).join('');
}

function printElement(element: PathElement): string {
  const content = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return `.${content}`;
    case 'k:': {
      const keys: unknown = JSON.parse(content);
      const parts = isObject(keys) ? Object.entries(keys).map(([key, value]) => `${key}=${JSON.stringify(value)}`) : [];
      return `[${parts.join(',')}]`;
    }
    case 'v:':
      return `[=${content}]`;
    default:
      return `[${content}]`;
  }
}
