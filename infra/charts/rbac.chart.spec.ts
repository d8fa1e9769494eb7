import { resolverPorts, shardName } from '@elasti/api';
import { leaseName } from '../../apps/operator/src/names';
import { shardsOf } from '../../apps/operator/src/routes/port-range';
import { synthesizeChart } from './manifest.fixture';

const synth = (given?: object) => synthesizeChart('rbac', given);
const namespaced = { variant: 'namespaced', watchNamespaces: ['shop', 'elasti'] };

/** `verb group/resource`, of roles with this name. */
function permissions(given: object, name: RegExp): string[] {
  const rules = synth(given).flatMap(({ metadata, rules: own }) => (name.test(metadata.name) ? (own ?? []) : []));
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`))),
  );
}

describe('RbacChart', () => {
  it.each([{}, namespaced])('asks for verbs and kinds one by one, never for all, with %j', (given) => {
    expect(permissions(given, /./).filter((permission) => permission.includes('*'))).toEqual([]);
  });

  it('lets the resolver read what it needs, and write nothing', () => {
    const verbs = permissions({}, /^elasti-resolver/).map((permission) => permission.split(' ')[0]);

    expect(new Set(verbs)).toEqual(new Set(['list', 'watch']));
  });

  it('lets the operator write only what is its own in the namespace that it may share', () => {
    const rules = synth().flatMap(({ kind, metadata, rules: own = [] }) =>
      kind === 'Role' && metadata.name.startsWith('elasti-operator') ? own : [],
    );
    const names = (resource: string) =>
      rules.flatMap(({ resources, verbs, resourceNames }) =>
        resources.includes(resource) && verbs.includes('update') ? (resourceNames ?? ['any']) : [],
      );

    expect(names('leases')).toEqual([leaseName]);
    expect(names('configmaps')).toEqual(shardsOf(resolverPorts).map(shardName));
  });

  it('may review tokens only where the wake call asks for one', () => {
    const review = 'create authentication.k8s.io/tokenreviews';

    expect(permissions({}, /./)).toContain(review);
    expect(permissions({ wakeAuth: 'off' }, /./)).not.toContain(review);
    expect(permissions({ wakeAuth: 'shared-secret' }, /./)).not.toContain(review);
  });

  it('may scale further kinds that the settings name, and no others', () => {
    const given = { extraScalableKinds: [{ group: 'games.example', resource: 'servers' }] };

    const further = permissions(given, /./).filter((permission) => !permissions({}, /./).includes(permission));
    expect(further).toEqual([
      'get games.example/servers',
      'list games.example/servers',
      'watch games.example/servers',
      'get games.example/servers/scale',
      'update games.example/servers/scale',
    ]);
  });

  it('asks for nothing of the whole cluster in the namespaced variant, and for the same in each namespace', () => {
    const kinds = new Set(synth(namespaced).map(({ kind }) => kind));
    const places = synth(namespaced).filter(({ kind }) => kind === 'Role');

    expect(kinds).toEqual(new Set(['ServiceAccount', 'Role', 'RoleBinding']));
    expect(places.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      'shop/elasti-operator-controller-manager-targets',
      'elasti/elasti-operator-controller-manager-targets',
      'shop/elasti-resolver-targets',
      'elasti/elasti-resolver-targets',
      'elasti/elasti-operator-controller-manager',
      'elasti/elasti-resolver',
    ]);
    expect(permissions({ ...namespaced, watchNamespaces: ['shop'] }, /-targets$/)).toEqual(
      permissions({}, /./).filter((permission) => !/nodes|tokenreviews|leases|configmaps/.test(permission)),
    );
  });

  it('binds roles to the accounts of the installation, wherever the roles are', () => {
    const given = { ...namespaced, namespace: 'sleepers' };
    const bindings = synth(given).filter(({ kind }) => kind.endsWith('Binding'));

    expect(
      new Set(bindings.flatMap(({ subjects = [] }) => subjects.map((subject) => (subject as { namespace: string }).namespace))),
    ).toEqual(new Set(['sleepers']));
  });

  it('annotates the accounts as the settings say', () => {
    const annotations = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/elasti' };
    const [account] = synth({ operator: { serviceAccountAnnotations: annotations } });

    expect(account?.metadata.annotations).toEqual(annotations);
  });
});
