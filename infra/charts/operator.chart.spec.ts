import { parseOperatorConfig } from '../../apps/operator/src/operator.config';
import { operatorVariables } from '../settings/variables';
import { podOf, synthesizeChart, variablesOf } from './manifest.fixture';

const synth = (given?: object) => synthesizeChart('operator', given);

const everything = {
  watchNamespaces: ['shop', 'blog'],
  wakeAuth: 'shared-secret',
  wakeSecret: { name: 'wake', key: 'new', acceptedKey: 'both' },
  sentry: { secretName: 'errors', secretKey: 'dsn', environment: 'test' },
  operator: {
    env: { HTTPS_PROXY: 'http://proxy:3128' },
    prometheus: {
      serverAddress: 'http://prometheus.monitoring:9090',
      authorizationSecret: { name: 'prometheus', key: 'header' },
      authorizedOrigins: ['https://thanos.example'],
    },
  },
};

describe('OperatorChart', () => {
  it('selects by exactly the labels that an installed KubeElasti selects by, and so do its Services', () => {
    const labels = { 'control-plane': 'controller-manager', 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' };
    const selectors = synth().map(({ kind, spec }) => [kind, spec.selector]);

    expect(selectors).toEqual([
      ['Deployment', { matchLabels: labels }],
      ['Service', labels],
      ['Service', labels],
    ]);
  });

  it('can be applied over the container of an installed KubeElasti: its name, and its variables as values', () => {
    const pod = podOf(synth());

    expect(pod.containers.map(({ name }) => name)).toEqual(['manager']);
    for (const name of ['ELASTI_OPERATOR_NAMESPACE', 'ELASTI_RESOLVER_NAMESPACE'])
      expect(variablesOf(pod)[name]).toEqual(expect.any(String));
  });

  it('empties the plain text that an installed KubeElasti may have where ours names a Secret', () => {
    const variables = podOf(synth(everything)).containers[0]?.env.filter(({ valueFrom }) => valueFrom !== undefined);

    expect(variables?.map(({ name, value }) => [name, value])).toEqual([
      ['PROMETHEUS_TRIGGER_AUTHORIZATION_HEADER', ''],
      ['SENTRY_DSN', ''],
    ]);
  });

  it("has KubeElasti's Services on KubeElasti's ports", () => {
    const services = synth().filter(({ kind }) => kind === 'Service');

    expect(services.map(({ metadata, spec }) => [metadata.name, spec.ports?.map(({ port, targetPort }) => [port, targetPort])])).toEqual([
      ['elasti-operator-controller-service', [[8013, 8013]]],
      ['elasti-operator-controller-manager-metrics-service', [[8080, 8013]]],
    ]);
  });

  it('tells the program nothing but its own defaults where nothing is set', () => {
    const values = Object.entries(variablesOf(podOf(synth()))).filter(([, value]) => typeof value === 'string') as [string, string][];
    const config = parseOperatorConfig(Object.fromEntries(values));

    expect(config).toEqual({
      ...parseOperatorConfig({}),
      wakeAuth: { mode: 'token-review', serviceAccount: { namespace: 'elasti', name: 'elasti-resolver' } },
    });
  });

  it('hands on every setting, and secrets only by their place', () => {
    expect(variablesOf(podOf(synth(everything)))).toMatchObject({
      WATCH_NAMESPACES: 'shop,blog',
      HTTPS_PROXY: 'http://proxy:3128',
      PROMETHEUS_TRIGGER_SERVER_ADDRESS: 'http://prometheus.monitoring:9090',
      PROMETHEUS_TRIGGER_AUTHORIZATION_HEADER: { secretKeyRef: { name: 'prometheus', key: 'header' } },
      PROMETHEUS_TRIGGER_AUTHORIZED_ORIGINS: 'https://thanos.example',
      SENTRY_DSN: { secretKeyRef: { name: 'errors', key: 'dsn' } },
      SENTRY_ENVIRONMENT: 'test',
      ELASTI_WAKE_AUTH: 'shared-secret',
      ELASTI_WAKE_SECRET_FILE: '/var/run/secrets/elasti/accepted',
    });
  });

  it('reads the shared secrets that it takes from where the settings say', () => {
    const { volumes, containers } = podOf(synth(everything));

    expect(volumes).toEqual([{ name: 'wake-secret', secret: { secretName: 'wake', items: [{ key: 'both', path: 'accepted' }] } }]);
    expect(containers[0]?.volumeMounts).toEqual([{ name: 'wake-secret', mountPath: '/var/run/secrets/elasti', readOnly: true }]);
  });

  it('sets no variable that a setting is not known for', () => {
    const names = Object.keys(variablesOf(podOf(synth(everything)))).filter((name) => name !== 'HTTPS_PROXY');

    expect(names.filter((name) => !Object.hasOwn(operatorVariables, name))).toEqual([]);
    expect(Object.keys(operatorVariables).filter((name) => !names.includes(name))).toEqual([]);
  });
});
