import { Field } from './field';

export const conditionStatuses = ['True', 'False', 'Unknown'] as const;
export type ConditionStatus = (typeof conditionStatuses)[number];

/** A condition as Kubernetes itself writes it (`metav1.Condition`), for lists with `listType: 'map', listMapKeys: ['type']`. */
export class Condition {
  @Field({
    type: 'string',
    description: 'Type of condition in CamelCase or in foo.example.com/CamelCase',
    maxLength: 316,
    pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
  })
  type!: string;

  @Field({ enum: conditionStatuses, description: 'Whether the condition holds' })
  status!: ConditionStatus;

  @Field({ type: 'integer', format: 'int64', minimum: 0, optional: true, description: 'The metadata.generation that was looked at' })
  observedGeneration?: number;

  @Field({ type: 'string', format: 'date-time', description: 'When the status last changed' })
  lastTransitionTime!: string;

  @Field({
    type: 'string',
    description: 'Why, in one CamelCase word for programs',
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  })
  reason!: string;

  @Field({ type: 'string', maxLength: 32768, description: 'Why, for people' })
  message!: string;
}
