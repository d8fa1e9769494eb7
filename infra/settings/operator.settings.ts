import { Field } from '@elasti/operator-kit';
import { keyPattern, namePattern } from './patterns';
import { OperatorResources, PodSettings } from './pod.settings';

/** A key of a Secret in Elasti's namespace. */
export class AuthorizationSecret {
  @Field({ description: 'Name of a Secret in the namespace of Elasti', pattern: namePattern, maxLength: 253 })
  name!: string;

  @Field({ description: 'Its key that holds the header', pattern: keyPattern, maxLength: 253, default: 'authorization' })
  key!: string;
}

/** How triggers ask Prometheus. */
export class PrometheusSettings {
  @Field({ description: 'URL of the server that is asked by triggers which name none', maxLength: 2048, optional: true })
  serverAddress?: string;

  @Field({ description: 'The Authorization header for that server', optional: true })
  authorizationSecret?: AuthorizationSecret;

  @Field({
    description: 'Further origins that get the header, such as https://prometheus.example:9090',
    arrayOf: 'string',
    default: [],
  })
  authorizedOrigins!: string[];

  @Field({ description: 'Queries open at one server at the same time', type: 'integer', minimum: 1, maximum: 1000, default: 8 })
  maxConcurrency!: number;
}

/** The operator: two or more pods, of which one leads. */
export class OperatorSettings extends PodSettings {
  @Field({ description: 'Image; the variable OPERATOR_IMAGE comes before it', minLength: 1, default: 'elasti-operator:latest' })
  declare image: string;

  @Field({ description: 'Pods; one leads, all answer wakes', type: 'integer', minimum: 1, maximum: 100, default: 2 })
  declare replicas: number;

  @Field({ description: 'Processor time and memory', default: {} })
  resources!: OperatorResources;

  @Field({ description: 'How often triggers are asked: a Go duration', default: '30s' })
  pollingInterval!: string;

  @Field({ description: 'How triggers ask Prometheus', default: {} })
  prometheus!: PrometheusSettings;
}
