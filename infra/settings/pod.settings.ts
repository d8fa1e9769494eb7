import { Field } from '@elasti/operator-kit';
import { keyPattern, quantityPattern } from './patterns';

/** What a resolver takes that holds nothing, with the young generation of its heap, of which all is held besides. */
export const mebibytesBesideQueue = 128;

const quantities = { type: 'int-or-string', pattern: quantityPattern } as const;

/** What a pod asks for and may take at most, by the names of Kubernetes. */
export class OperatorResources {
  @Field({ description: 'What is set aside for a pod', mapOf: quantities, default: { cpu: '50m', memory: '128Mi' } })
  requests!: Record<string, number | string>;

  @Field({ description: 'What a pod may take at most', mapOf: quantities, default: { memory: '512Mi' } })
  limits!: Record<string, number | string>;
}

/** The limit of memory leaves room beside what may be held (`resolver.queueMebibytes`): at least `mebibytesBesideQueue`. */
export class ResolverResources {
  @Field({ description: 'What is set aside for a pod', mapOf: quantities, default: { cpu: '100m', memory: '128Mi' } })
  requests!: Record<string, number | string>;

  @Field({ description: 'What a pod may take at most', mapOf: quantities, default: { memory: '1Gi' } })
  limits!: Record<string, number | string>;
}

/** How the pods of a program are made and where they go. */
export class PodSettings {
  @Field({ description: 'Image', minLength: 1 })
  image!: string;

  @Field({ description: 'Pods', type: 'integer', minimum: 1 })
  replicas!: number;

  @Field({ description: 'Further environment variables, by name', mapOf: 'string', default: {} })
  env!: Record<string, string>;

  @Field({
    description: 'Key of the Secret `sentry.secretName` that holds the DSN of this program; default: `sentry.secretKey`',
    pattern: keyPattern,
    maxLength: 253,
    optional: true,
  })
  sentrySecretKey?: string;

  @Field({ description: 'Labels of the pods', mapOf: 'string', default: {} })
  podLabels!: Record<string, string>;

  @Field({ description: 'Annotations of the pods', mapOf: 'string', default: {} })
  podAnnotations!: Record<string, string>;

  @Field({ description: 'Annotations of the ServiceAccount', mapOf: 'string', default: {} })
  serviceAccountAnnotations!: Record<string, string>;

  @Field({ description: 'Labels of the nodes that the pods go to', mapOf: 'string', default: {} })
  nodeSelector!: Record<string, string>;

  @Field({ description: 'Taints that the pods put up with, as Kubernetes has them in a pod', arrayOf: 'object', default: [] })
  tolerations!: object[];

  @Field({
    description: 'Affinity, as Kubernetes has it in a pod; nodes and zones are spread over without it',
    type: 'object',
    optional: true,
  })
  affinity?: object;
}
