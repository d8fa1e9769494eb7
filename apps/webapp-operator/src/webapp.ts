import { Condition, CustomResource, Field, Resource } from '@elasti/operator-kit';
import { type Phase, phases } from './webapp.phase';

export class WebAppSpec {
  @Field({ description: 'The image to run', minLength: 1, maxLength: 1024 })
  image!: string;

  @Field({ description: 'How many pods', type: 'integer', format: 'int32', minimum: 0, maximum: 1000, default: 1 })
  replicas!: number;

  @Field({
    description: 'The port the app listens on, and the Service with it',
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 65535,
  })
  port!: number;
}

export class WebAppStatus {
  @Field({ description: 'Where the app is in its life', enum: phases, optional: true })
  phase?: Phase;

  @Field({ description: 'Pods that can serve', type: 'integer', format: 'int32', optional: true })
  availableReplicas?: number;

  @Field({ description: 'The generation this status speaks of', type: 'integer', format: 'int64', optional: true })
  observedGeneration?: number;

  @Field({ arrayOf: Condition, listType: 'map', listMapKeys: ['type'], maxItems: 16, optional: true })
  conditions?: Condition[];
}

@CustomResource({
  group: 'example.com',
  version: 'v1',
  kind: 'WebApp',
  shortNames: ['wa'],
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.availableReplicas' },
  printerColumns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
    { name: 'Wanted', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})
export class WebApp extends Resource(WebAppSpec, WebAppStatus) {}
