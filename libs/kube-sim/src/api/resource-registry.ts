import { builtinResources } from './builtin-resources';
import { type ResourceType, versionOf } from './resource-type';

/**
 * Which resources are served now: the built-in ones and those of established CustomResourceDefinitions.
 *
 * Guarantees that one group and plural names at most one resource.
 */
export class ResourceRegistry {
  private readonly types = new Map<string, ResourceType>();
  private changes = 0;

  constructor() {
    for (const type of builtinResources()) this.set(type);
  }

  set(type: ResourceType): void {
    this.changes++;
    this.types.set(keyOf(type.group, type.plural), type);
  }

  delete(group: string, plural: string): void {
    this.changes++;
    this.types.delete(keyOf(group, plural));
  }

  /** Another number after every change. */
  get revision(): number {
    return this.changes;
  }

  get(group: string, plural: string): ResourceType | undefined {
    return this.types.get(keyOf(group, plural));
  }

  /** The resource if it is served at this version. */
  served(group: string, version: string, plural: string): ResourceType | undefined {
    const type = this.get(group, plural);
    return type && versionOf(type, version) ? type : undefined;
  }

  byKind(group: string, kind: string): ResourceType | undefined {
    return this.all().find((type) => type.group === group && type.kind === kind);
  }

  byStorage(storageId: string): ResourceType | undefined {
    return this.all().find((type) => type.storageId === storageId);
  }

  all(): ResourceType[] {
    return [...this.types.values()];
  }

  groups(): string[] {
    return [...new Set(this.all().map((type) => type.group))];
  }

  hasVersion(group: string, version: string): boolean {
    return this.all().some((type) => type.group === group && versionOf(type, version) !== undefined);
  }

  /** The versions served in a group, the preferred one first. */
  versionsOf(group: string): string[] {
    const versions = new Set<string>();
    for (const type of this.all()) if (type.group === group) for (const version of type.versions) versions.add(version.name);
    return [...versions].sort(compareVersions);
  }
}

const keyOf = (group: string, plural: string): string => `${group}/${plural}`;

/** Orders as the API does: v2 before v1, general availability before beta before alpha, other names last. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [rankOf(left), rankOf(right)];
  for (let index = 0; index < 3; index++) {
    const difference = (b[index] ?? 0) - (a[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

function rankOf(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [0, 0, 0];
  const stability = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
