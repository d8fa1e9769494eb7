import {
  apiPort,
  operatorName,
  operatorProbePort,
  operatorServiceName,
  proxyPort,
  resolverName,
  resolverServiceName,
} from '../charts/names';

/** Where the variables that the charts set come from. */
const ofBoth = {
  ELASTI_OPERATOR_NAMESPACE: 'namespace',
  WATCH_NAMESPACES: 'watchNamespaces',
  KUBERNETES_CLUSTER_DOMAIN: 'clusterDomain',
  ELASTI_SETTLE_TIME: 'traffic.settleTime',
  ELASTI_LOAD_BALANCER_SETTLE_TIME: 'traffic.loadBalancerSettleTime',
  SENTRY_DSN: 'sentry.secretName',
  SENTRY_ENVIRONMENT: 'sentry.environment',
} as const;

/** The setting behind each variable of the operator that the charts set. */
export const operatorVariables: Readonly<Record<string, string>> = {
  ...ofBoth,
  ELASTI_RESOLVER_NAMESPACE: 'namespace',
  POLLING_INTERVAL: 'operator.pollingInterval',
  PROMETHEUS_TRIGGER_SERVER_ADDRESS: 'operator.prometheus.serverAddress',
  PROMETHEUS_TRIGGER_AUTHORIZATION_HEADER: 'operator.prometheus.authorizationSecret',
  PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS: 'operator.prometheus.authorizedOrigins',
  PROMETHEUS_TRIGGER_MAX_CONCURRENCY: 'operator.prometheus.maxConcurrency',
  ELASTI_HANDOVER_GRACE: 'traffic.handoverGrace',
  ELASTI_RESOLVER_ABSENCE: 'traffic.resolverAbsence',
  ELASTI_STANDBY: 'traffic.standby',
  ELASTI_WAKE_AUTH: 'wakeAuth',
  ELASTI_WAKE_SECRET_FILE: 'wakeSecret',
};

/** The setting behind each variable of the resolver that the charts set. */
export const resolverVariables: Readonly<Record<string, string>> = {
  ...ofBoth,
  ELASTI_POD_IP: 'the pod itself',
  ELASTI_WAKE_TOKEN_FILE: 'wakeAuth',
  REQ_TIMEOUT: 'resolver.requestTimeoutSeconds',
  QUEUE_SIZE: 'resolver.queueSize',
  ELASTI_QUEUE_MEBIBYTES: 'resolver.queueMebibytes',
  MAX_QUEUE_CONCURRENCY: 'resolver.maxQueueConcurrency',
  OPERATOR_RETRY_DURATION: 'resolver.operatorRetrySeconds',
  HEADER_FOR_HOST: 'resolver.headerForHost',
  ENABLE_H2C: 'resolver.h2c',
  MAX_IDLE_PROXY_CONNS: 'resolver.maxIdleConnections',
  MAX_IDLE_PROXY_CONNS_PER_HOST: 'resolver.maxIdleConnectionsPerTarget',
};

/** What the programs read and no manifest sets: Services, probes, policies and permissions are written for what they take by themselves. */
export const fixedVariables: Readonly<Record<string, string>> = {
  ELASTI_OPERATOR_DEPLOYMENT_NAME: operatorName,
  ELASTI_OPERATOR_SERVICE_NAME: operatorServiceName,
  ELASTI_OPERATOR_PORT: String(apiPort),
  ELASTI_OPERATOR_PROBE_PORT: String(operatorProbePort),
  ELASTI_OPERATOR_ORIGIN: `the Service ${operatorServiceName}`,
  ELASTI_RESOLVER_DEPLOYMENT_NAME: resolverName,
  ELASTI_RESOLVER_SERVICE_NAME: resolverServiceName,
  ELASTI_RESOLVER_SERVICE_ACCOUNT: resolverName,
  ELASTI_RESOLVER_PORT: String(apiPort),
  ELASTI_RESOLVER_PROXY_PORT: String(proxyPort),
  ELASTI_BIND_ADDRESS: 'every address of the pod',
};
