import { ApiObject, Chart, JsonPatch } from 'cdk8s';
import { ApiResource, ClusterRole, ClusterRoleBinding, type IApiResource, Role, RoleBinding, ServiceAccount } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings';
import { leaseName, operatorName, resolverName, routeShardNames } from './names';

/** Whom to allow what, and where. Settings, whose defaults are in `SettingsFile` beside each field. */
export type RbacProps = Pick<
  Settings,
  'namespace' | 'variant' | 'watchNamespaces' | 'wakeAuth' | 'extraScalableKinds' | 'operator' | 'resolver'
>;

type Grant = (role: Role | ClusterRole) => void;
type GrantAtHome = (role: Role) => void;

const custom = (apiGroup: string, resourceType: string) => ApiResource.custom({ apiGroup, resourceType });
const named = ({ apiGroup, resourceType }: ApiResource, resourceName: string): IApiResource => ({ apiGroup, resourceType, resourceName });
const elasti = (resourceType: string) => custom('elasti.truefoundry.com', resourceType);

/**
 * The ServiceAccounts of both programs and the permissions they use, verb by verb and kind by kind.
 *
 * The namespaced variant has the same permissions, but only in the namespaces that it looks after, and nothing of the whole cluster.
 */
export class RbacChart extends Chart {
  readonly operatorAccount: ServiceAccount;
  readonly resolverAccount: ServiceAccount;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: RbacProps,
  ) {
    super(scope, id, {
      namespace: props.namespace,
      disableResourceNameHashes: true,
      labels: { 'app.kubernetes.io/name': 'elasti' },
    });
    this.operatorAccount = this.account('operator', operatorName);
    this.resolverAccount = this.account('resolver', resolverName);
    this.grantWatched('operator', operatorName, this.operatorAccount, (role) => this.allowOperator(role));
    this.grantWatched('resolver', resolverName, this.resolverAccount, allowResolver);
    this.grantInstallation('operator', operatorName, this.operatorAccount, (role) => this.allowOperatorAtHome(role));
    this.grantInstallation('resolver', resolverName, this.resolverAccount, (role) =>
      role.allow(['list', 'watch'], ApiResource.CONFIG_MAPS),
    );
  }

  private account(program: 'operator' | 'resolver', name: string): ServiceAccount {
    const annotations = this.props[program].serviceAccountAnnotations;
    return new ServiceAccount(this, `${program}-account`, { metadata: { name, annotations }, automountToken: true });
  }

  /** Where ElastiServices and their targets are. */
  private grantWatched(id: string, name: string, account: ServiceAccount, grant: Grant): void {
    if (this.props.variant === 'cluster') {
      const role = new ClusterRole(this, `${id}-cluster-role`, { metadata: { name } });
      grant(role);
      const binding = new ClusterRoleBinding(this, `${id}-cluster-binding`, { metadata: { name }, role });
      binding.addSubjects(account);
      // cdk8s gives every object of a chart the chart's namespace.
      for (const object of [role, binding]) ApiObject.of(object).addJsonPatch(JsonPatch.remove('/metadata/namespace'));
      return;
    }
    for (const namespace of this.props.watchNamespaces) {
      // The installation may be in a namespace that it looks after, where its own Role has the plain name.
      const metadata = { name: `${name}-targets`, namespace };
      const role = new Role(this, `${id}-role-${namespace}`, { metadata });
      grant(role);
      new RoleBinding(this, `${id}-binding-${namespace}`, { metadata, role }).addSubjects(account);
    }
  }

  /** Where Elasti itself is. */
  private grantInstallation(id: string, name: string, account: ServiceAccount, grant: GrantAtHome): void {
    const role = new Role(this, `${id}-role`, { metadata: { name } });
    grant(role);
    new RoleBinding(this, `${id}-binding`, { metadata: { name }, role }).addSubjects(account);
  }

  private allowOperator(role: Role | ClusterRole): void {
    role.allow(['get', 'list', 'watch', 'patch'], elasti('elastiservices'));
    role.allow(['patch'], elasti('elastiservices/status'));
    // Lets an owner reference block the owner's deletion where the cluster enforces that permission.
    role.allow(['update'], elasti('elastiservices/finalizers'));
    role.allow(['list', 'watch', 'create', 'patch', 'delete'], ApiResource.SERVICES, ApiResource.ENDPOINT_SLICES);
    // OpenShift asks for it of whoever writes addresses into slices.
    role.allow(['create'], custom('discovery.k8s.io', 'endpointslices/restricted'));
    for (const { group, resource } of scalableKinds(this.props)) {
      role.allow(['get', 'list', 'watch'], custom(group, resource));
      role.allow(['get', 'update'], custom(group, `${resource}/scale`));
    }
    role.allow(['get', 'patch'], custom('keda.sh', 'scaledobjects'));
    role.allow(['list', 'watch'], ApiResource.INGRESSES);
    role.allow(['create', 'patch'], custom('events.k8s.io', 'events'));
    if (this.props.variant === 'namespaced') return;
    // Without it a Service with internalTrafficPolicy: Local is never put to sleep.
    role.allow(['list'], ApiResource.NODES);
    if (this.props.wakeAuth === 'token-review') role.allow(['create'], custom('authentication.k8s.io', 'tokenreviews'));
  }

  /**
   * The lease of the leader, the ConfigMaps that hold the routes, and where the resolvers are. Others may share the namespace: what is theirs is not
   * written. To create cannot be limited to names, and to list and watch not where a selector says which.
   */
  private allowOperatorAtHome(role: Role): void {
    role.allow(['create'], ApiResource.LEASES);
    role.allow(['get', 'update'], named(ApiResource.LEASES, leaseName));
    role.allow(['list', 'watch', 'create'], ApiResource.CONFIG_MAPS);
    role.allow(['get', 'update'], ...routeShardNames.map((name) => named(ApiResource.CONFIG_MAPS, name)));
    if (this.props.variant === 'namespaced') role.allow(['list', 'watch'], ApiResource.ENDPOINT_SLICES);
  }
}

/** It reads and never writes: services that sleep, and the pods behind them. */
function allowResolver(role: Role | ClusterRole): void {
  role.allow(['list', 'watch'], elasti('elastiservices'), ApiResource.SERVICES, ApiResource.ENDPOINT_SLICES);
}

function scalableKinds({ extraScalableKinds }: RbacProps): readonly { group: string; resource: string }[] {
  return [
    { group: 'apps', resource: 'deployments' },
    { group: 'apps', resource: 'statefulsets' },
    { group: 'argoproj.io', resource: 'rollouts' },
    ...extraScalableKinds,
  ];
}
