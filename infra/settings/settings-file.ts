import { Field } from '@elasti/operator-kit';
import { MonitoringSettings } from './monitoring.settings';
import { NetworkSettings } from './network.settings';
import { OperatorSettings } from './operator.settings';
import { keyPattern, labelPattern, namePattern } from './patterns';
import { ResolverSettings } from './resolver.settings';

export const variants = ['cluster', 'namespaced'] as const;
export const wakeAuths = ['token-review', 'shared-secret', 'off'] as const;
export const podSecurities = ['restricted', 'none'] as const;
export const pullPolicies = ['IfNotPresent', 'Always', 'Never'] as const;

/** A kind with a scale subresource that ElastiServices may name as their target. */
export class ScalableKind {
  @Field({ description: 'Its API group, such as games.example.com', pattern: namePattern, maxLength: 253 })
  group!: string;

  @Field({ description: 'Its plural, such as gameservers', pattern: labelPattern, maxLength: 63 })
  resource!: string;
}

/** Where the secret of the wake call is, with `shared-secret`. */
export class WakeSecret {
  @Field({ description: 'Name of a Secret in the namespace of Elasti', pattern: namePattern, maxLength: 253, default: 'elasti-wake' })
  name!: string;

  @Field({ description: 'Its key that the resolver sends', pattern: keyPattern, maxLength: 253, default: 'token' })
  key!: string;

  @Field({
    description: 'Its key with all that the operator takes, one a line; default: the same',
    pattern: keyPattern,
    maxLength: 253,
    optional: true,
  })
  acceptedKey?: string;
}

/** Errors are sent to Sentry where there is a Secret. */
export class SentrySettings {
  @Field({
    description: 'Name of a Secret in the namespace of Elasti; none: nothing is sent',
    pattern: namePattern,
    maxLength: 253,
    optional: true,
  })
  secretName?: string;

  @Field({ description: 'Its key that holds the DSN', pattern: keyPattern, maxLength: 253, default: 'SENTRY_DSN' })
  secretKey!: string;

  @Field({ description: 'What Sentry calls this installation', maxLength: 64, optional: true })
  environment?: string;
}

/** The PriorityClass of the pods. */
export class PriorityClassSettings {
  @Field({
    description: 'Name of the PriorityClass of all pods; none: that of the cluster',
    pattern: namePattern,
    maxLength: 253,
    optional: true,
  })
  name?: string;

  @Field({
    description: 'With it the PriorityClass is made here; none: it is there already',
    type: 'integer',
    minimum: -1000000000,
    maximum: 1000000000,
    optional: true,
  })
  value?: number;
}

/** How much time data planes are given. */
export class TrafficSettings {
  @Field({ description: 'Between naming the resolvers in a Service and letting its last pod go', default: '5s' })
  settleTime!: string;

  @Field({ description: 'The same for Services of type LoadBalancer', default: '90s' })
  loadBalancerSettleTime!: string;

  @Field({ description: 'How long pods must have been ready before the resolvers leave', default: '5s' })
  handoverGrace!: string;

  @Field({ description: 'How long no resolver may be ready before sleeping services are brought back', default: '30s' })
  resolverAbsence!: string;

  @Field({ description: 'Whether the resolvers stand by in awake Services', default: true })
  standby!: boolean;
}

/** Evictions one after the other. */
export class DisruptionBudgetSettings {
  @Field({ description: 'Whether there are PodDisruptionBudgets', default: true })
  enabled!: boolean;

  @Field({
    description: 'Pods of each program that may be evicted at the same time',
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 1,
  })
  maxUnavailable!: number;
}

/** Everything that can be said about an installation. */
export class SettingsFile {
  @Field({ description: 'Where Elasti runs', pattern: labelPattern, maxLength: 63, default: 'elasti' })
  namespace!: string;

  @Field({ description: 'Whether the manifests make that namespace; not where it is in `watchNamespaces`, nor with Helm', default: true })
  createNamespace!: boolean;

  @Field({
    description: 'Which pods the namespace takes, where the manifests make it: those of the Pod Security standard, or any',
    enum: podSecurities,
    default: 'restricted',
  })
  podSecurity!: (typeof podSecurities)[number];

  @Field({ description: '`namespaced` asks for no permission outside of the namespaces it names', enum: variants, default: 'cluster' })
  variant!: (typeof variants)[number];

  @Field({
    description: 'Namespaces whose ElastiServices are looked after; none: all',
    arrayOf: { type: 'string', pattern: labelPattern, maxLength: 63 },
    listType: 'set',
    default: [],
  })
  watchNamespaces!: string[];

  @Field({ description: 'The DNS domain of the cluster', pattern: namePattern, maxLength: 253, default: 'cluster.local' })
  clusterDomain!: string;

  @Field({ description: 'When images are pulled', enum: pullPolicies, default: 'IfNotPresent' })
  imagePullPolicy!: (typeof pullPolicies)[number];

  @Field({
    description: 'Names of the Secrets for the registry',
    arrayOf: { type: 'string', pattern: namePattern, maxLength: 253 },
    default: [],
  })
  imagePullSecrets!: string[];

  @Field({ description: 'Labels of every object', mapOf: 'string', default: {} })
  labels!: Record<string, string>;

  @Field({ description: 'Annotations of every object', mapOf: 'string', default: {} })
  annotations!: Record<string, string>;

  @Field({ description: 'PriorityClass of the pods', default: {} })
  priorityClass!: PriorityClassSettings;

  @Field({
    description: 'Who may call for a wake; default: `token-review`, and `shared-secret` in the namespaced variant',
    enum: wakeAuths,
    optional: true,
  })
  wakeAuth?: (typeof wakeAuths)[number];

  @Field({ description: 'Where the secret of the wake call is, with `shared-secret`', default: {} })
  wakeSecret!: WakeSecret;

  @Field({ description: 'Further kinds of targets that the operator may scale', arrayOf: ScalableKind, default: [] })
  extraScalableKinds!: ScalableKind[];

  @Field({ description: 'Errors to Sentry', default: {} })
  sentry!: SentrySettings;

  @Field({ description: 'What data planes are given', default: {} })
  traffic!: TrafficSettings;

  @Field({ description: 'The operator', default: {} })
  operator!: OperatorSettings;

  @Field({ description: 'The resolver', default: {} })
  resolver!: ResolverSettings;

  @Field({ description: 'Evictions', default: {} })
  disruptionBudget!: DisruptionBudgetSettings;

  @Field({ description: 'NetworkPolicies', default: {} })
  network!: NetworkSettings;

  @Field({ description: 'ServiceMonitors, alerts and a dashboard', default: {} })
  monitoring!: MonitoringSettings;
}
