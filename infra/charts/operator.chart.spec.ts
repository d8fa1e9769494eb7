import { ElastiService } from '@elasti/api';
import { Testing } from 'cdk8s';
import { OperatorChart, type OperatorProps } from './operator.chart';

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
    ports?: { port: number; targetPort: number }[];
    template?: { spec: { containers: Container[] } };
  };
}

function synth(props: Partial<OperatorProps> = {}): Manifest[] {
  return Testing.synth(new OperatorChart(Testing.app(), 'operator', { crd: ElastiService.crd(), ...props })) as Manifest[];
}

const ruledResources = (manifests: Manifest[]) =>
  manifests.flatMap(({ rules = [] }) => rules).flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs]);

describe('OperatorChart', () => {
  it('synthesizes what is reviewed in the snapshot', () => {
    const withoutSchema = synth().filter(({ kind }) => kind !== 'CustomResourceDefinition');

    expect(withoutSchema).toMatchSnapshot();
  });

  it('asks for verbs and kinds one by one, never for all', () => {
    expect(ruledResources(synth())).not.toContain('*');
  });

  it('may review tokens only where the wake call asks for one', () => {
    expect(ruledResources(synth())).toContain('tokenreviews');
    expect(ruledResources(synth({ wakeAuth: 'off' }))).not.toContain('tokenreviews');
  });

  it('selects by exactly the labels that an installed KubeElasti selects by', () => {
    const deployment = synth().find(({ kind }) => kind === 'Deployment');

    expect(deployment?.spec?.selector).toEqual({
      matchLabels: { 'control-plane': 'controller-manager', 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' },
    });
  });

  it('can be applied over the container of an installed KubeElasti: its name, and its variables as values', () => {
    const containers = synth().find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.containers ?? [];

    const values = Object.fromEntries(containers.flatMap(({ env }) => env).map(({ name, value }) => [name, value]));
    expect(containers.map(({ name }) => name)).toEqual(['manager']);
    for (const name of ['ELASTI_OPERATOR_NAMESPACE', 'ELASTI_RESOLVER_NAMESPACE']) expect(values[name]).toEqual(expect.any(String));
  });

  it("has KubeElasti's Services on KubeElasti's ports", () => {
    const services = synth().filter(({ kind }) => kind === 'Service');

    expect(services.map(({ metadata, spec }) => [metadata.name, spec?.ports?.map(({ port }) => port)])).toEqual([
      ['elasti-operator-controller-service', [8013]],
      ['elasti-operator-controller-manager-metrics-service', [8080]],
    ]);
  });

  it('puts everything that has a namespace into the one asked for', () => {
    const namespaces = synth({ namespace: 'sleepers' }).map(({ metadata }) => metadata.namespace);

    expect(new Set(namespaces.filter(Boolean))).toEqual(new Set(['sleepers']));
  });
});
