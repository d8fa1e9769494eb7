import { parseResolverConfig } from '../../apps/resolver/src/resolver.config';
import { resolverVariables } from '../settings/variables';
import { podOf, synthesizeChart, variablesOf } from './manifest.fixture';

const synth = (given?: object) => synthesizeChart('resolver', given);
const everything = { watchNamespaces: ['shop'], sentry: { secretName: 'errors', environment: 'test' } };

describe('ResolverChart', () => {
  it('selects by exactly the labels that an installed KubeElasti selects by, and so does its Service', () => {
    const labels = { app: 'elasti-resolver', 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' };

    expect(synth().map(({ kind, spec }) => [kind, spec.selector])).toEqual([
      ['Deployment', { matchLabels: labels }],
      ['Service', labels],
    ]);
  });

  it('can be applied over the container of an installed KubeElasti: its name, and its variables as values', () => {
    const pod = podOf(synth());

    expect(pod.containers.map(({ name }) => name)).toEqual(['proxy']);
    for (const name of ['ELASTI_OPERATOR_NAMESPACE', 'REQ_TIMEOUT']) expect(variablesOf(pod)[name]).toEqual(expect.any(String));
  });

  it("has KubeElasti's Service with KubeElasti's port names", () => {
    const service = synth().find(({ kind }) => kind === 'Service');

    expect([service?.metadata.name, service?.spec.ports?.map(({ name, port }) => [name, port])]).toEqual([
      'elasti-resolver-service',
      [
        ['http-resolver', 8013],
        ['http-resolver-reverse-proxy', 8012],
      ],
    ]);
  });

  it('has addresses of every family that the cluster has, so that Services of both can be stood in for', () => {
    expect(synth().find(({ kind }) => kind === 'Service')?.spec.ipFamilyPolicy).toBe('PreferDualStack');
  });

  it('gives a pod that stops more time than it takes for itself', () => {
    const pod = podOf(synth({ resolver: { requestTimeoutSeconds: 30 } }));
    const { drain } = parseResolverConfig({ REQ_TIMEOUT: '30' });

    expect(variablesOf(pod).REQ_TIMEOUT).toBe('30');
    expect(pod.terminationGracePeriodSeconds).toBe(180);
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(drain.graceMs);
  });

  it('tells the program nothing but its own defaults where nothing is set', () => {
    const values = Object.entries(variablesOf(podOf(synth()))).filter(([, value]) => typeof value === 'string') as [string, string][];
    const defaults = parseResolverConfig({});

    expect(parseResolverConfig(Object.fromEntries(values))).toEqual({
      ...defaults,
      wake: { ...defaults.wake, tokenFile: '/var/run/secrets/elasti/token' },
    });
  });

  it('says whatever an installed KubeElasti says, so that nothing of it stays: HTTP/2 is on', () => {
    expect(variablesOf(podOf(synth()))).toMatchObject({
      ENABLE_H2C: 'true',
      MAX_IDLE_PROXY_CONNS: '1000',
      MAX_IDLE_PROXY_CONNS_PER_HOST: '100',
    });
    expect(variablesOf(podOf(synth({ resolver: { h2c: false, maxIdleConnections: 5, maxIdleConnectionsPerTarget: 2 } })))).toMatchObject({
      ENABLE_H2C: 'false',
      MAX_IDLE_PROXY_CONNS: '5',
      MAX_IDLE_PROXY_CONNS_PER_HOST: '2',
    });
  });

  it.each(['settleTime', 'loadBalancerSettleTime'])('gives a pod that stops as much more time as data planes take, by %s', (setting) => {
    const pod = podOf(synth({ traffic: { [setting]: '5m' } }));
    const { ELASTI_SETTLE_TIME, ELASTI_LOAD_BALANCER_SETTLE_TIME } = variablesOf(pod);
    const { drain, gate } = parseResolverConfig({
      ELASTI_SETTLE_TIME: String(ELASTI_SETTLE_TIME),
      ELASTI_LOAD_BALANCER_SETTLE_TIME: String(ELASTI_LOAD_BALANCER_SETTLE_TIME),
    });

    expect(drain.graceMs - gate.requestTimeoutMs).toBeGreaterThan(300_000);
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(drain.graceMs);
  });

  it.each([
    [
      'token-review',
      [
        {
          name: 'token',
          projected: { sources: [{ serviceAccountToken: { audience: 'elasti-operator', path: 'token', expirationSeconds: 3600 } }] },
        },
      ],
    ],
    ['shared-secret', [{ name: 'token', secret: { secretName: 'elasti-wake', items: [{ key: 'token', path: 'token' }] } }]],
    ['off', undefined],
  ])('brings what the wake call asks for with %s', (wakeAuth, volumes) => {
    const pod = podOf(synth({ wakeAuth }));

    expect(pod.volumes).toEqual(volumes);
    expect(variablesOf(pod).ELASTI_WAKE_TOKEN_FILE).toBe(volumes && '/var/run/secrets/elasti/token');
  });

  it('sets no variable that a setting is not known for', () => {
    const names = Object.keys(variablesOf(podOf(synth(everything))));

    expect(names.filter((name) => !Object.hasOwn(resolverVariables, name))).toEqual([]);
    expect(Object.keys(resolverVariables).filter((name) => !names.includes(name))).toEqual([]);
  });
});
