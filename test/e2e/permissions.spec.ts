import type { AuditedCall } from './operator/audit-log';
import { permissionsIn, unusedPermissions } from './permissions';

/** Needs no cluster: what finds fault with permissions elsewhere must not be blind itself. */
const aRole = (kind: 'Role' | 'ClusterRole', verb: string, namespace?: string, resourceNames?: string[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: 'elasti', namespace },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: [verb], resourceNames }],
});

const aCall = (verb: string, namespace?: string, code = 200): AuditedCall => ({
  id: '1',
  state: 'over',
  verb,
  uri: '/',
  group: '',
  resource: 'configmaps',
  subresource: 'configmaps',
  namespace,
  code,
  allowed: 'yes',
});

describe('unusedPermissions', () => {
  const unused = (role: object, ...calls: AuditedCall[]) => unusedPermissions(permissionsIn([role as never]), calls, 'elasti');

  it('finds one of everywhere that is used at home only', () => {
    expect(unused(aRole('ClusterRole', 'get'), aCall('get', 'elasti'))).toEqual(['get core configmaps everywhere']);
  });

  it('finds none that is used elsewhere, or of the whole cluster', () => {
    expect(unused(aRole('ClusterRole', 'get'), aCall('get', 'shop'))).toEqual([]);
    expect(unused(aRole('ClusterRole', 'list'), aCall('watch'))).toEqual([]);
    expect(unused(aRole('ClusterRole', 'create'), aCall('patch', 'shop', 201))).toEqual([]);
  });

  it('finds one of a namespace that is used in others only', () => {
    expect(unused(aRole('Role', 'get', 'elasti'), aCall('get', 'shop'), aCall('get'))).toEqual(['get core configmaps in elasti']);
    expect(unused(aRole('Role', 'get', 'shop'), aCall('get', 'shop'))).toEqual([]);
  });

  it('takes a rule for certain names for one of the resource', () => {
    expect(unused(aRole('Role', 'update', 'elasti', ['routes-0', 'routes-1']), aCall('update', 'elasti'))).toEqual([]);
  });
});
