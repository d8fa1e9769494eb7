import { Testing } from 'cdk8s';
import { ResolverChart, type ResolverProps } from './resolver.chart';

interface Container {
  name: string;
  env: { name: string; value?: string }[];
}

interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string };
  rules?: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  spec?: {
    selector?: unknown;
    ipFamilyPolicy?: string;
    ports?: { name: string; port: number }[];
    template?: { spec: { terminationGracePeriodSeconds: number; containers: Container[] } };
  };
}

function synth(props: ResolverProps = {}): Manifest[] {
  return Testing.synth(new ResolverChart(Testing.app(), 'resolver', props)) as Manifest[];
}

const find = (manifests: Manifest[], kind: string) => manifests.find((manifest) => manifest.kind === kind);

describe('ResolverChart', () => {
  it('synthesizes what is reviewed in the snapshot', () => {
    expect(synth()).toMatchSnapshot();
  });

  it('may read what it needs, and write nothing', () => {
    const verbs = synth().flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.verbs));

    expect(new Set(verbs)).toEqual(new Set(['list', 'watch']));
  });

  it('selects by exactly the labels that an installed KubeElasti selects by', () => {
    expect(find(synth(), 'Deployment')?.spec?.selector).toEqual({
      matchLabels: { app: 'elasti-resolver', 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' },
    });
  });

  it('can be applied over the container of an installed KubeElasti: its name, and its variables as values', () => {
    const containers = find(synth(), 'Deployment')?.spec?.template?.spec.containers ?? [];

    const values = Object.fromEntries(containers.flatMap(({ env }) => env).map(({ name, value }) => [name, value]));
    expect(containers.map(({ name }) => name)).toEqual(['proxy']);
    for (const name of ['ELASTI_OPERATOR_NAMESPACE', 'REQ_TIMEOUT']) expect(values[name]).toEqual(expect.any(String));
  });

  it("has KubeElasti's Service with KubeElasti's port names", () => {
    const service = find(synth(), 'Service');

    expect([service?.metadata.name, service?.spec?.ports?.map(({ name, port }) => [name, port])]).toEqual([
      'elasti-resolver-service',
      [
        ['http-resolver', 8013],
        ['http-resolver-reverse-proxy', 8012],
      ],
    ]);
  });

  it('has addresses of every family that the cluster has, so that Services of both can be stood in for', () => {
    expect(find(synth(), 'Service')?.spec?.ipFamilyPolicy).toBe('PreferDualStack');
  });

  it('gives a pod that stops a minute more than a request may be held', () => {
    const deployment = find(synth({ requestTimeoutSeconds: 30 }), 'Deployment');

    expect(deployment?.spec?.template?.spec.terminationGracePeriodSeconds).toBe(90);
  });
});
