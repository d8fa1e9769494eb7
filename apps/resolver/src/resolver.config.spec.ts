import { EnvironmentError } from '@elasti/operator-kit/program';
import { parseResolverConfig } from './resolver.config';

describe('parseResolverConfig', () => {
  it("has KubeElasti's defaults where nothing is said", () => {
    expect(parseResolverConfig({})).toEqual({
      listen: { port: 8013, proxyPort: 8012 },
      operatorNamespace: 'elasti',
      wake: { origin: 'http://elasti-operator-controller-service.elasti.svc.cluster.local:8013', retryMs: 5_000, tokenFile: undefined },
      gate: {
        requestTimeoutMs: 600_000,
        maxRequests: 50_000,
        maxBytes: 268_435_456,
        maxRequestsPerService: 50_000,
        maxBytesPerService: 268_435_456,
        maxConcurrencyPerFreshPod: 100,
      },
      forward: { maxIdleConnections: 1_000, maxIdlePerPod: 100, h2c: 'on' },
      drain: { podIps: [], settleMs: 5_000, loadBalancerSettleMs: 90_000, graceMs: 745_000 },
      headerForHost: 'x-envoy-decorator-operation',
      clusterDomain: 'cluster.local',
      watchNamespaces: [],
      idleVariables: [],
    });
  });

  it('reads every variable of the contract', () => {
    const config = parseResolverConfig({
      REQ_TIMEOUT: '120',
      QUEUE_SIZE: '1000',
      MAX_QUEUE_CONCURRENCY: '10',
      OPERATOR_RETRY_DURATION: '30',
      HEADER_FOR_HOST: 'X-Forwarded-Host',
      ENABLE_H2C: 'false',
      MAX_IDLE_PROXY_CONNS: '500',
      MAX_IDLE_PROXY_CONNS_PER_HOST: '50',
      ELASTI_OPERATOR_NAMESPACE: 'ops',
      ELASTI_OPERATOR_SERVICE_NAME: 'operator',
      ELASTI_OPERATOR_PORT: '9013',
      ELASTI_RESOLVER_PORT: '9014',
      ELASTI_RESOLVER_PROXY_PORT: '9012',
      KUBERNETES_CLUSTER_DOMAIN: 'k8s.example.com',
      WATCH_NAMESPACES: 'shop, blog',
      SENTRY_DSN: 'https://key@sentry.example.com/1',
      SENTRY_ENVIRONMENT: 'staging',
      ELASTI_WAKE_TOKEN_FILE: '/run/token',
      ELASTI_POD_IP: '10.0.0.7,fd00::7',
      ELASTI_SETTLE_TIME: '90s',
      ELASTI_LOAD_BALANCER_SETTLE_TIME: '2m',
      ELASTI_SERVICE_QUEUE_SIZE: '100',
    });

    expect(config).toMatchObject({
      listen: { port: 9014, proxyPort: 9012 },
      wake: { origin: 'http://operator.ops.svc.k8s.example.com:9013', retryMs: 30_000, tokenFile: '/run/token' },
      gate: { requestTimeoutMs: 120_000, maxRequests: 1_000, maxRequestsPerService: 100, maxConcurrencyPerFreshPod: 10 },
      forward: { maxIdleConnections: 500, maxIdlePerPod: 50, h2c: 'off' },
      drain: { podIps: ['10.0.0.7', 'fd00::7'], settleMs: 90_000, loadBalancerSettleMs: 120_000, graceMs: 295_000 },
      headerForHost: 'x-forwarded-host',
      watchNamespaces: ['shop', 'blog'],
      sentry: { dsn: 'https://key@sentry.example.com/1', environment: 'staging' },
    });
  });

  it('calls the operator where it is told to, and listens on one address, where there are no names and others share the machine', () => {
    const { listen, wake } = parseResolverConfig({ ELASTI_OPERATOR_ORIGIN: 'http://127.1.0.9:8013/', ELASTI_BIND_ADDRESS: '127.1.0.8' });

    expect(listen).toEqual({ port: 8013, proxyPort: 8012, host: '127.1.0.8' });
    expect(wake.origin).toBe('http://127.1.0.9:8013');
  });

  it('takes what has nothing left to do, and tells which of it is set', () => {
    const { idleVariables } = parseResolverConfig({
      QUEUE_RETRY_DURATION: '3',
      INITIAL_CAPACITY: 'anything',
      TRAFFIC_RE_ENABLE_DURATION: '',
    });

    expect(idleVariables).toEqual(['QUEUE_RETRY_DURATION', 'INITIAL_CAPACITY']);
  });

  it.each(['Cluster.Local', 'cluster.local.'])('knows the domain of the cluster by %s as well', (domain) => {
    expect(parseResolverConfig({ KUBERNETES_CLUSTER_DOMAIN: domain }).clusterDomain).toBe('cluster.local');
  });

  it.each([
    ['a domain that is no name', { KUBERNETES_CLUSTER_DOMAIN: 'cluster local/x' }, 'KUBERNETES_CLUSTER_DOMAIN'],
    ['a domain with an empty part', { KUBERNETES_CLUSTER_DOMAIN: '.cluster.local' }, 'KUBERNETES_CLUSTER_DOMAIN'],
    ['one port for two listeners', { ELASTI_RESOLVER_PORT: '8012' }, 'ELASTI_RESOLVER_PORT and ELASTI_RESOLVER_PROXY_PORT must differ'],
    ['a port that a Service may be given', { ELASTI_RESOLVER_PROXY_PORT: '20000' }, 'ELASTI_RESOLVER_PROXY_PORT must not be from'],
  ])('refuses %s', (_what, env, problem) => {
    expect(() => parseResolverConfig(env)).toThrow(problem);
  });

  it('tells of all mistakes at once, and repeats no value', () => {
    const given = {
      REQ_TIMEOUT: '10m',
      QUEUE_SIZE: '-1',
      ENABLE_H2C: 'perhaps',
      ELASTI_POD_IP: '10.0.0.7,here',
      HEADER_FOR_HOST: 'not a header',
      ELASTI_RESOLVER_NAMESPACE: 'Not A Name',
      SENTRY_DSN: 'secret',
      ELASTI_BIND_ADDRESS: 'localhost',
      ELASTI_OPERATOR_ORIGIN: 'http://operator:8013/informer',
    };
    const attempt = () => parseResolverConfig(given);

    expect(attempt).toThrow(EnvironmentError);
    for (const name of Object.keys(given)) expect(attempt).toThrow(name);
    expect(attempt).not.toThrow('secret');
  });
});
