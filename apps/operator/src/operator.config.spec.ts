import { EnvironmentError } from '@elasti/operator-kit/program';
import { parseOperatorConfig } from './operator.config';

describe('parseOperatorConfig', () => {
  it("has KubeElasti's defaults where nothing is said", () => {
    expect(parseOperatorConfig({})).toEqual({
      pollingIntervalMs: 30_000,
      prometheus: { serverAddress: undefined, authorizationHeader: undefined, authorizedOrigins: [], maxConcurrency: 8 },
      watchNamespaces: [],
      clusterDomain: 'cluster.local',
      operator: {
        namespace: 'elasti',
        deploymentName: 'elasti-operator-controller-manager',
        serviceName: 'elasti-operator-controller-service',
        port: 8013,
        probePort: 8081,
      },
      traffic: { settleMs: 5_000, loadBalancerSettleMs: 90_000, graceMs: 5_000, resolverAbsenceMs: 30_000, standby: 'on' },
      wakeAuth: { mode: 'off' },
      resolver: {
        namespace: 'elasti',
        deploymentName: 'elasti-resolver',
        serviceName: 'elasti-resolver-service',
        port: 8013,
        proxyPort: 8012,
      },
    });
  });

  it('reads every variable of the contract', () => {
    const config = parseOperatorConfig({
      POLLING_INTERVAL: '1m30s',
      PROMETHEUS_TRIGGER_SERVER_ADDRESS: 'http://prometheus.monitoring:9090',
      PROMETHEUS_TRIGGER_AUTHORIZATION_HEADER: 'Bearer abc',
      WATCH_NAMESPACES: 'shop, blog,shop',
      KUBERNETES_CLUSTER_DOMAIN: 'k8s.example.com',
      ELASTI_RESOLVER_PROXY_PORT: '9012',
      SENTRY_DSN: 'https://key@sentry.example.com/1',
      SENTRY_ENVIRONMENT: 'staging',
    });

    expect(config).toMatchObject({
      pollingIntervalMs: 90_000,
      prometheus: { serverAddress: 'http://prometheus.monitoring:9090', authorizationHeader: 'Bearer abc' },
      watchNamespaces: ['shop', 'blog'],
      clusterDomain: 'k8s.example.com',
      resolver: { proxyPort: 9012 },
      sentry: { dsn: 'https://key@sentry.example.com/1', environment: 'staging' },
    });
  });

  it('listens on one address where others share the machine', () => {
    expect(parseOperatorConfig({ ELASTI_BIND_ADDRESS: '127.1.0.7' }).operator.host).toBe('127.1.0.7');
    expect(() => parseOperatorConfig({ ELASTI_BIND_ADDRESS: 'localhost' })).toThrow(/ELASTI_BIND_ADDRESS must be an IP address/);
  });

  it("lets the resolver's ServiceAccount wake, with token reviews", () => {
    const config = parseOperatorConfig({ ELASTI_WAKE_AUTH: 'token-review', ELASTI_RESOLVER_NAMESPACE: 'edge' });

    expect(config.wakeAuth).toEqual({ mode: 'token-review', serviceAccount: { namespace: 'edge', name: 'elasti-resolver' } });
  });

  it('asks for the file of a shared secret', () => {
    const given = { ELASTI_WAKE_AUTH: 'shared-secret', ELASTI_WAKE_SECRET_FILE: '/run/secrets/wake' };

    expect(parseOperatorConfig(given).wakeAuth).toEqual({ mode: 'shared-secret', secretFile: '/run/secrets/wake' });
    expect(() => parseOperatorConfig({ ELASTI_WAKE_AUTH: 'shared-secret' })).toThrow(/ELASTI_WAKE_SECRET_FILE must be the path/);
  });

  it('never takes a misspelt check for no check', () => {
    expect(() => parseOperatorConfig({ ELASTI_WAKE_AUTH: 'tokenreview' })).toThrow(
      /ELASTI_WAKE_AUTH must be one of off, token-review, shared-secret/,
    );
  });

  it('takes an empty variable for an absent one', () => {
    expect(parseOperatorConfig({ POLLING_INTERVAL: '', SENTRY_DSN: ' ' })).toEqual(parseOperatorConfig({}));
  });

  it('reads whom else the Authorization header is for, and how much is asked of a server at once', () => {
    const { prometheus } = parseOperatorConfig({
      PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS: 'https://Metrics.example/, http://127.0.0.1:9090,https://metrics.example:443',
      PROMETHEUS_TRIGGER_MAX_CONCURRENCY: '20',
    });

    expect(prometheus).toMatchObject({ authorizedOrigins: ['https://metrics.example', 'http://127.0.0.1:9090'], maxConcurrency: 20 });
  });

  it.each([
    ['PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS', 'https://metrics.example,hidden'],
    ['PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS', 'ftp://hidden'],
    ['PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS', 'https://me:hidden@metrics.example'],
    ['PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS', 'https://metrics.example/hidden'],
    ['PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS', 'https://*.hidden?x'],
    ['PROMETHEUS_TRIGGER_MAX_CONCURRENCY', '0'],
    ['PROMETHEUS_TRIGGER_MAX_CONCURRENCY', '1001'],
    ['PROMETHEUS_TRIGGER_MAX_CONCURRENCY', '1.5'],
    ['PROMETHEUS_TRIGGER_MAX_CONCURRENCY', '0x8'],
    ['PROMETHEUS_TRIGGER_AUTHORIZATION_HEADER', 'Bearer hid\r\nden'],
    ['PROMETHEUS_TRIGGER_SERVER_ADDRESS', 'http://prometheus:9090?token=hidden'],
  ])('refuses a %s that no server could be asked with: %j', (name, value) => {
    const broken = () => parseOperatorConfig({ [name]: value });

    expect(broken).toThrow(new RegExp(`1 mistakes:\n- ${name} must`));
    expect(broken).not.toThrow(/hidden|hid/);
  });

  it('names all mistakes at once, and repeats no value', () => {
    const broken = () =>
      parseOperatorConfig({
        POLLING_INTERVAL: 'soon',
        ELASTI_OPERATOR_PORT: '0',
        WATCH_NAMESPACES: 'Shop!',
        SENTRY_DSN: 'secret-that-is-no-url',
      });

    expect(broken).toThrow(EnvironmentError);
    expect(broken).toThrow(/POLLING_INTERVAL[^]*ELASTI_OPERATOR_PORT|SENTRY_DSN[^]*POLLING_INTERVAL/);
    expect(broken).not.toThrow(/soon|secret/);
    expect(broken).toThrow(/4 mistakes/);
  });

  it('cannot be changed by who gets it', () => {
    expect(Object.isFrozen(parseOperatorConfig({}))).toBe(true);
  });
});
