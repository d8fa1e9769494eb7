import type { KubeObject } from '@elasti/operator-kit';
import type { AuditedCall } from './operator/audit-log';

interface RoleObject extends KubeObject {
  readonly rules?: readonly {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
  }[];
}

const everywhere = 'everywhere';

/** One verb on one resource in one namespace or in all, such as `update apps deployments/scale everywhere` or `get core configmaps in elasti`. */
export type Permission = `${string} ${string} ${string} ${typeof everywhere | `in ${string}`}`;

/**
 * What the roles among these objects allow, one by one; each role is bound in the manner of its kind. A rule for certain names counts as one for all:
 * of the shards of a thing, a test may need but the first.
 */
export function permissionsIn(manifest: readonly KubeObject[]): Permission[] {
  const roles = manifest.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role') as RoleObject[];
  const each = roles.flatMap(({ kind, metadata, rules = [] }) => {
    const scope = kind === 'ClusterRole' ? everywhere : scopeIn(metadata.namespace ?? 'default');
    return rules.flatMap(({ verbs, apiGroups = [], resources = [] }) =>
      apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => permission(verb, group, resource, scope)))),
    );
  });
  return [...new Set(each)].sort();
}

/** The calls that the roles did not allow. */
export function refusedBy(calls: readonly AuditedCall[]): string[] {
  return calls.filter(({ allowed }) => allowed === 'no').map(({ verb, uri }) => `${verb} ${uri}`);
}

/**
 * The permissions that none of these calls needed. One of everywhere is needed only by a call to the whole cluster or to another namespace than `home`,
 * where a Role would do.
 */
export function unusedPermissions(permissions: readonly Permission[], calls: readonly AuditedCall[], home: string): Permission[] {
  const used = new Set<Permission>();
  for (const { verb, group, subresource, namespace, code } of calls) {
    const use = (what: string) => {
      if (namespace !== home) used.add(permission(what, group, subresource, everywhere));
      if (namespace !== undefined) used.add(permission(what, group, subresource, scopeIn(namespace)));
    };
    use(verb);
    // A watch begins with a list where the API server cannot stream one, and a patch may create what is not there yet.
    if (verb === 'watch') use('list');
    if (verb === 'patch' && code === 201) use('create');
  }
  return permissions.filter((one) => !used.has(one));
}

function scopeIn(namespace: string): `in ${string}` {
  return `in ${namespace}`;
}

function permission(verb: string, group: string, resource: string, scope: typeof everywhere | `in ${string}`): Permission {
  return `${verb} ${group || 'core'} ${resource} ${scope}`;
}
