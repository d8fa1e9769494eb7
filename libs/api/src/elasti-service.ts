import { Condition, CustomResource, Field, Resource } from '@elasti/operator-kit';
import { ProbeResponse } from './probe-response';
import { Trigger } from './trigger';

export const autoscalerTypes = ['hpa', 'keda'] as const;
export const specModes = ['Active', 'DryRun'] as const;
export const coldStarts = ['hold', 'page'] as const;
export const forwardWays = ['pod', 'service'] as const;
export const trafficModes = ['serve', 'proxy'] as const;
export type TrafficMode = (typeof trafficModes)[number];

const dnsLabel = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

export class ScaleTargetRef {
  @Field({ description: 'API version of the workload, such as apps/v1 or argoproj.io/v1alpha1', minLength: 1, maxLength: 317 })
  apiVersion!: string;

  @Field({ description: 'Deployment, StatefulSet, Rollout, or any kind with a scale subresource', minLength: 1, maxLength: 63 })
  kind!: string;

  @Field({ description: 'Name of the workload, in the same namespace', minLength: 1, maxLength: 253 })
  name!: string;
}

export class Autoscaler {
  @Field({ description: 'What else scales the workload', enum: autoscalerTypes })
  type!: (typeof autoscalerTypes)[number];

  @Field({ description: 'Name of the HorizontalPodAutoscaler or ScaledObject', minLength: 1, maxLength: 253 })
  name!: string;
}

export class EnabledPeriod {
  @Field({
    description: 'When the period begins: cron with five fields',
    maxLength: 256,
    default: '0 0 * * *',
    validations: [
      {
        rule: "self.matches('^\\\\s*(@[a-z]+|\\\\S+(\\\\s+\\\\S+){4})\\\\s*$')",
        message: 'must be a cron schedule of five fields, such as "0 0 * * *", or one like @daily',
      },
    ],
  })
  schedule?: string;

  @Field({
    description: 'How long it lasts: a Go duration such as 8h30m',
    maxLength: 64,
    default: '24h',
    validations: [{ rule: 'duration(self) > duration("0s")', message: 'must be a duration above zero, such as 8h30m' }],
  })
  duration?: string;

  @Field({ description: 'The time zone of the schedule, such as Europe/Berlin. Default: UTC', maxLength: 64, optional: true })
  timeZone?: string;
}

export class QueueLimits {
  @Field({
    description: 'Requests held at most for this service on each resolver',
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 1000000,
    optional: true,
  })
  maxRequests?: number;

  @Field({
    description: 'Bytes held at most for this service on each resolver',
    type: 'integer',
    format: 'int64',
    minimum: 65536,
    optional: true,
  })
  maxBytes?: number;
}

export class Timeouts {
  @Field({
    description: "Seconds a request is held at most. Default: the resolver's REQ_TIMEOUT",
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 86400,
    optional: true,
  })
  request?: number;
}

export class ElastiServiceSpec {
  @Field({ description: 'The workload to put to sleep' })
  scaleTargetRef!: ScaleTargetRef;

  @Field({ description: 'The Service, in the same namespace, whose requests wake it', minLength: 1, maxLength: 63, pattern: dnsLabel })
  service!: string;

  @Field({ description: 'Replicas on wake; a workload above it is left alone', type: 'integer', format: 'int32', minimum: 1, default: 1 })
  minTargetReplicas?: number;

  @Field({
    description: 'Seconds without sleep after creation, a wake, or a poll that found it busy; 0 means the default',
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 604800,
    default: 900,
  })
  cooldownPeriod?: number;

  @Field({
    description: 'All must agree before sleep; without any it never sleeps by itself',
    arrayOf: Trigger,
    optional: true,
  })
  triggers?: Trigger[];

  @Field({ description: 'What else scales the workload', optional: true })
  autoscaler?: Autoscaler;

  @Field({ description: 'Outside of it the workload is kept awake', optional: true })
  enabledPeriod?: EnabledPeriod;

  @Field({ description: 'Requests answered while no pod is ready, without waking', arrayOf: ProbeResponse, maxItems: 32, optional: true })
  probeResponse?: ProbeResponse[];

  @Field({ description: 'DryRun decides and reports, and touches nothing', enum: specModes, default: 'Active' })
  mode?: (typeof specModes)[number];

  @Field({
    description: 'Further Services that select the same pods: they sleep and wake together',
    arrayOf: { type: 'string', minLength: 1, maxLength: 63, pattern: dnsLabel },
    listType: 'set',
    maxItems: 16,
    optional: true,
  })
  additionalServices?: string[];

  @Field({
    description: 'Names of ports that never wake and never count as activity. Default: names ending in metrics',
    arrayOf: { type: 'string', minLength: 1, maxLength: 63 },
    listType: 'set',
    maxItems: 100,
    optional: true,
  })
  nonWakingPorts?: string[];

  @Field({
    description: 'pod: straight to the pod; service: through the private Service, for meshes with strict mTLS',
    enum: forwardWays,
    default: 'pod',
  })
  forward?: (typeof forwardWays)[number];

  @Field({
    description: 'Whether resolvers stand by in the Service while it is awake. Default: as the installation says',
    type: 'boolean',
    optional: true,
  })
  standby?: boolean;

  @Field({ description: 'hold: every request waits; page: browsers get a page that waits for them', enum: coldStarts, default: 'hold' })
  coldStart?: (typeof coldStarts)[number];

  @Field({ description: 'Limits of what is held', optional: true })
  queue?: QueueLimits;

  @Field({ description: 'How long things may take', optional: true })
  timeouts?: Timeouts;
}

/** One port of a Service and the port the resolvers listen on for it; a copy for people, which no program trusts. */
export class RouteStatus {
  @Field({ description: 'The Service', minLength: 1, maxLength: 63 })
  service!: string;

  @Field({ description: "The Service's port", type: 'integer', format: 'int32' })
  port!: number;

  @Field({ description: 'Its name', maxLength: 63, optional: true })
  name?: string;

  @Field({ description: 'The port of the resolvers', type: 'integer', format: 'int32' })
  resolverPort!: number;
}

/** What a dry run would have come to. */
export class DryRunStatus {
  @Field({ description: 'When the account began', format: 'date-time' })
  since!: string;

  @Field({ description: 'Seconds it would have slept, but for the sleep it would be in', type: 'integer', format: 'int64', minimum: 0 })
  sleptSeconds!: number;

  @Field({ description: 'How often it would have been woken', type: 'integer', format: 'int64', minimum: 0 })
  wakes!: number;

  @Field({ description: 'Since when it would be asleep; absent while it would be awake', format: 'date-time', optional: true })
  asleepSince?: string;
}

/** A workload that may be asleep by our doing, with what else scales it: remembered, so that it is given back when the spec names another. */
export class HeldTarget extends ScaleTargetRef {
  @Field({ description: 'What else scales the workload, and may be paused', optional: true })
  autoscaler?: Autoscaler;
}

export class ElastiServiceStatus {
  @Field({ description: 'serve: the pods take the traffic; proxy: the resolvers do', enum: trafficModes, optional: true })
  mode?: TrafficMode;

  @Field({ description: 'When this status last changed', format: 'date-time', optional: true })
  lastReconciledTime?: string;

  @Field({ description: 'When it was last woken or found busy', format: 'date-time', optional: true })
  lastScaledUpTime?: string;

  @Field({ description: 'The generation this status speaks of', type: 'integer', format: 'int64', optional: true })
  observedGeneration?: number;

  @Field({ description: 'Where the resolvers listen for each port', arrayOf: RouteStatus, maxItems: 1000, optional: true })
  routes?: RouteStatus[];

  @Field({ description: 'The workload that is put to sleep, from before it is scaled down until it is given back', optional: true })
  heldTarget?: HeldTarget;

  @Field({ description: 'With mode DryRun: what would have happened', optional: true })
  dryRun?: DryRunStatus;

  @Field({ arrayOf: Condition, listType: 'map', listMapKeys: ['type'], maxItems: 32, optional: true })
  conditions?: Condition[];
}

@CustomResource({
  group: 'elasti.truefoundry.com',
  version: 'v1alpha1',
  kind: 'ElastiService',
  shortNames: ['esvc'],
  description: 'A Service whose workload sleeps at zero replicas until a request comes',
  printerColumns: [
    { name: 'Mode', type: 'string', jsonPath: '.status.mode' },
    { name: 'Target', type: 'string', jsonPath: '.spec.scaleTargetRef.name' },
    { name: 'Service', type: 'string', jsonPath: '.spec.service' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})
export class ElastiService extends Resource(ElastiServiceSpec, ElastiServiceStatus) {}
