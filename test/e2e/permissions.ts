import type { KubeObject } from '@elasti/operator-kit';
import type { AuditedCall } from './operator/audit-log';

interface RoleObject extends KubeObject {
  readonly rules?: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
  }[];
}

/** One verb on one resource, such as `update apps deployments/scale`. */
export type Permission = `${string} ${string} ${string}`;

/** What the roles among these objects allow, one by one. */
export function permissionsIn(manifest: readonly KubeObject[]): Permission[] {
  const roles = manifest.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role') as RoleObject[];
  const rules = roles.flatMap(({ rules: own }) => own ?? []);
  const each = rules.flatMap(({ verbs, apiGroups = [], resources = [] }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => permission(verb, group, resource)))),
  );
  return [...new Set(each)].sort();
}

/** The calls that the roles did not allow. */
export function refusedBy(calls: readonly AuditedCall[]): string[] {
  return calls.filter(({ allowed }) => allowed === 'no').map(({ verb, uri }) => `${verb} ${uri}`);
}

/** The permissions that none of these calls needed. */
export function unusedPermissions(permissions: readonly Permission[], calls: readonly AuditedCall[]): Permission[] {
  const used = new Set(calls.map(({ verb, group, subresource }) => permission(verb, group, subresource)));
  for (const { verb, group, subresource, code } of calls) {
    // A watch begins with a list where the API server cannot stream one, and a patch may create what is not there yet.
    if (verb === 'watch') used.add(permission('list', group, subresource));
    if (verb === 'patch' && code === 201) used.add(permission('create', group, subresource));
  }
  return permissions.filter((one) => !used.has(one));
}

function permission(verb: string, group: string, resource: string): Permission {
  return `${verb} ${group || 'core'} ${resource}`;
}
