import { Field } from '@elasti/operator-kit';
import { PodSettings, ResolverResources } from './pod.settings';

/** A HorizontalPodAutoscaler for the resolvers. */
export class ResolverAutoscaling {
  @Field({
    description: 'Whether there is a HorizontalPodAutoscaler; needs metrics-server. See: The number of resolvers',
    default: false,
  })
  enabled!: boolean;

  @Field({ description: 'Pods at least', type: 'integer', minimum: 1, maximum: 1000, default: 2 })
  minReplicas!: number;

  @Field({ description: 'Pods at most', type: 'integer', minimum: 1, maximum: 1000, default: 10 })
  maxReplicas!: number;

  @Field({ description: 'Processor time aimed at, of what is requested', type: 'integer', minimum: 1, maximum: 1000, default: 70 })
  targetCpuPercent!: number;
}

/** The resolver: two or more pods, each of which can take the traffic of every sleeping service. */
export class ResolverSettings extends PodSettings {
  @Field({ description: 'Image; the variable RESOLVER_IMAGE comes before it', minLength: 1, default: 'elasti-resolver:latest' })
  declare image: string;

  @Field({ description: 'Pods, where nothing scales them', type: 'integer', minimum: 1, maximum: 1000, default: 2 })
  declare replicas: number;

  @Field({ description: 'Processor time and memory', default: {} })
  resources!: ResolverResources;

  @Field({ description: 'A HorizontalPodAutoscaler', default: {} })
  autoscaling!: ResolverAutoscaling;

  @Field({
    description: 'How long a request may be held; a pod that stops gets that, the longer settle time, and a minute',
    type: 'integer',
    minimum: 1,
    maximum: 86400,
    default: 600,
  })
  requestTimeoutSeconds!: number;

  @Field({
    description: 'Requests held by a pod for all services together',
    type: 'integer',
    minimum: 1,
    maximum: 10000000,
    default: 50000,
  })
  queueSize!: number;

  @Field({ description: 'Memory for what a pod holds', type: 'integer', minimum: 1, maximum: 1000000, default: 256 })
  queueMebibytes!: number;

  @Field({
    description: 'Held requests let go at the same time to a fresh pod',
    type: 'integer',
    minimum: 1,
    maximum: 1000000,
    default: 100,
  })
  maxQueueConcurrency!: number;

  @Field({ description: 'Between two wake calls for one service', type: 'integer', minimum: 1, maximum: 86400, default: 5 })
  operatorRetrySeconds!: number;

  @Field({
    description: 'Header that names the service on the shared port, looked at before Host',
    pattern: '^[-_a-zA-Z0-9]+$',
    default: 'X-Envoy-Decorator-Operation',
  })
  headerForHost!: string;

  @Field({ description: 'Whether HTTP/2 without TLS, as gRPC often has it, is told from HTTP/1.1 and forwarded as such', default: true })
  h2c!: boolean;

  @Field({
    description: 'Unused connections that a pod keeps to all targets together',
    type: 'integer',
    minimum: 1,
    maximum: 1000000,
    default: 1000,
  })
  maxIdleConnections!: number;

  @Field({
    description: 'Unused connections that a pod keeps to one pod of a target',
    type: 'integer',
    minimum: 1,
    maximum: 1000000,
    default: 100,
  })
  maxIdleConnectionsPerTarget!: number;
}
