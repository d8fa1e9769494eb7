import { Field } from '@elasti/operator-kit';

export const triggerTypes = ['prometheus', 'traffic'] as const;
export type TriggerType = (typeof triggerTypes)[number];

/** What `metadata` holds for a trigger of type prometheus. */
export interface PrometheusTriggerMetadata {
  /** Default: the operator's PROMETHEUS_TRIGGER_SERVER_ADDRESS. */
  serverAddress?: string;
  query: string;
  /** A number; idle is a value below it. */
  threshold: string;
  /** Which `up` series tell that Prometheus itself was there. Default: `container="prometheus"`. */
  uptimeFilter?: string;
  headers?: Record<string, string>;
}

/** What `metadata` holds for a trigger of type traffic. */
export interface TrafficTriggerMetadata {
  /** How long no request may have been seen, as a Go duration. Default: the cooldown. */
  window?: string;
}

/** Something that must agree before a service is put to sleep. */
export class Trigger {
  @Field({ description: 'prometheus asks a query; traffic looks at the requests themselves', enum: triggerTypes })
  type!: TriggerType;

  @Field({ description: 'Settings of the trigger, by its type', type: 'object', optional: true })
  metadata?: object;
}
