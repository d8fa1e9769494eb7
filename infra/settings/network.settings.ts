import { Field } from '@elasti/operator-kit';

const port = { type: 'integer', minimum: 1, maximum: 65535 } as const;

/** Who scrapes metrics. */
export class ScraperSettings {
  @Field({ description: 'Labels of the namespaces they are in; none: any namespace', mapOf: 'string', default: {} })
  namespaceLabels!: Record<string, string>;

  @Field({ description: 'Labels of their pods', mapOf: 'string', default: { 'app.kubernetes.io/name': 'prometheus' } })
  podLabels!: Record<string, string>;
}

/** NetworkPolicies that allow what Elasti needs and nothing else. */
export class NetworkSettings {
  @Field({ description: 'Whether there are NetworkPolicies', default: true })
  policies!: boolean;

  @Field({ description: 'Address ranges of the API server; none: anywhere', arrayOf: { type: 'string', format: 'cidr' }, default: [] })
  apiServerCidrs!: string[];

  @Field({ description: 'Ports of the API server, as its endpoints have them', arrayOf: port, minItems: 1, default: [443, 6443, 8443] })
  apiServerPorts!: number[];

  @Field({ description: 'Ports of DNS servers, as their pods have them', arrayOf: port, minItems: 1, default: [53, 5353] })
  dnsPorts!: number[];

  @Field({
    description: 'Ports of Prometheus servers, beside that of operator.prometheus.serverAddress',
    arrayOf: port,
    default: [9090, 443],
  })
  prometheusPorts!: number[];

  @Field({ description: 'Ports of Sentry, where errors are sent to it', arrayOf: port, minItems: 1, default: [443] })
  sentryPorts!: number[];

  @Field({
    description: 'Address ranges of targets that are no pods of the network, such as those on the host network',
    arrayOf: { type: 'string', format: 'cidr' },
    default: [],
  })
  targetCidrs!: string[];

  @Field({ description: 'Who may read metrics', default: {} })
  scrapers!: ScraperSettings;
}
