import { type JsonObject } from '../store';
import { type ResourceRegistry } from './resource-registry';
import { type ResourceType, groupVersion, versionOf } from './resource-type';

/** Tells clients what the server serves, in the plain and in the aggregated form. */
export class Discovery {
  constructor(private readonly registry: ResourceRegistry) {}

  coreVersions(serverAddress: string): JsonObject {
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }] };
  }

  groupList(): JsonObject {
    const groups = this.namedGroups().map((group) => this.describeGroup(group));
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }

  group(name: string): JsonObject | undefined {
    if (!this.namedGroups().includes(name)) return undefined;
    return { kind: 'APIGroup', apiVersion: 'v1', ...this.describeGroup(name) };
  }

  resourceList(group: string, version: string): JsonObject | undefined {
    if (!this.groupsWithReviews().includes(group) || !this.versionsOf(group).includes(version)) return undefined;
    const resources = this.typesOf(group, version).flatMap((type) => plainRows(type, version));
    return {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: groupVersion(group, version),
      resources: [...resources, ...reviewRows(group)],
    };
  }

  aggregated(groups: 'core' | 'named'): JsonObject {
    const names = groups === 'core' ? [''] : this.namedGroups();
    const items = names.map((name): JsonObject => ({
      metadata: name === '' ? { creationTimestamp: null } : { name, creationTimestamp: null },
      versions: this.versionsOf(name).map((version) => ({
        version,
        resources: [...this.typesOf(name, version).map((type) => aggregatedRow(type, version)), ...aggregatedReviews(name)],
        freshness: 'Current',
      })),
    }));
    return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  }

  private describeGroup(name: string): JsonObject {
    const versions = this.versionsOf(name).map((version) => ({ groupVersion: groupVersion(name, version), version }));
    return { name, versions, preferredVersion: versions[0] ?? {} };
  }

  private namedGroups(): string[] {
    return this.groupsWithReviews().filter((group) => group !== '');
  }

  private groupsWithReviews(): string[] {
    return [...new Set([...this.registry.groups(), ...REVIEWS.map(({ group }) => group)])];
  }

  private versionsOf(group: string): string[] {
    const versions = this.registry.versionsOf(group);
    return versions.length === 0 ? ['v1'] : versions;
  }

  private typesOf(group: string, version: string): ResourceType[] {
    return this.registry.all().filter((type) => type.group === group && versionOf(type, version) !== undefined);
  }
}

const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

interface ReviewKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Questions that clients post and that are answered at once, without being stored. */
export const REVIEWS: readonly ReviewKind[] = [
  { group: 'authorization.k8s.io', plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', namespaced: false },
  { group: 'authorization.k8s.io', plural: 'subjectaccessreviews', kind: 'SubjectAccessReview', namespaced: false },
  { group: 'authorization.k8s.io', plural: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', namespaced: true },
  { group: 'authentication.k8s.io', plural: 'tokenreviews', kind: 'TokenReview', namespaced: false },
];

const reviewRows = (group: string): JsonObject[] =>
  REVIEWS.filter((review) => review.group === group).map(({ plural, kind, namespaced }) => ({
    name: plural,
    singularName: kind.toLowerCase(),
    namespaced,
    kind,
    verbs: ['create'],
  }));

const aggregatedReviews = (group: string): JsonObject[] =>
  REVIEWS.filter((review) => review.group === group).map(({ plural, kind, namespaced }) => ({
    resource: plural,
    responseKind: { group, version: 'v1', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.toLowerCase(),
    verbs: ['create'],
  }));

function plainRows(type: ResourceType, versionName: string): JsonObject[] {
  const version = versionOf(type, versionName);
  const row: JsonObject = {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: [...type.verbs],
    ...(type.shortNames.length > 0 ? { shortNames: [...type.shortNames] } : {}),
    ...(type.categories.length > 0 ? { categories: [...type.categories] } : {}),
  };
  const subresource = (name: string, kind: string, more: JsonObject = {}): JsonObject => ({
    name: `${type.plural}/${name}`,
    singularName: '',
    namespaced: type.namespaced,
    ...more,
    kind,
    verbs: SUBRESOURCE_VERBS,
  });
  const rows = [row];
  if (version?.hasStatus) rows.push(subresource('status', type.kind));
  if (version?.scale) rows.push(subresource('scale', 'Scale', { group: 'autoscaling', version: 'v1' }));
  return rows;
}

function aggregatedRow(type: ResourceType, versionName: string): JsonObject {
  const version = versionOf(type, versionName);
  const subresources: JsonObject[] = [];
  if (version?.hasStatus) {
    subresources.push({
      subresource: 'status',
      responseKind: { group: type.group, version: versionName, kind: type.kind },
      verbs: SUBRESOURCE_VERBS,
    });
  }
  if (version?.scale) {
    subresources.push({
      subresource: 'scale',
      responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      verbs: SUBRESOURCE_VERBS,
    });
  }
  return {
    resource: type.plural,
    responseKind: { group: type.group, version: versionName, kind: type.kind },
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: [...type.verbs],
    ...(type.shortNames.length > 0 ? { shortNames: [...type.shortNames] } : {}),
    ...(type.categories.length > 0 ? { categories: [...type.categories] } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
