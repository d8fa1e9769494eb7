import { WebApp } from '@elasti/webapp-operator';
import { Testing } from 'cdk8s';
import { WebAppOperatorChart, type WebAppOperatorProps } from './webapp-operator.chart';

interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string };
  rules?: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

function synth(props: Partial<WebAppOperatorProps> = {}): Manifest[] {
  return Testing.synth(new WebAppOperatorChart(Testing.app(), 'webapp-operator', { crd: WebApp.crd(), ...props })) as Manifest[];
}

describe('WebAppOperatorChart', () => {
  it('synthesizes what is reviewed in the snapshot', () => {
    expect(synth()).toMatchSnapshot();
  });

  it('asks for verbs and kinds one by one, never for all', () => {
    const rules = synth().flatMap((manifest) => manifest.rules ?? []);

    expect(rules.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs])).not.toContain('*');
  });

  it('puts everything that has a namespace into the one asked for', () => {
    const namespaces = synth({ namespace: 'apps' }).map(({ metadata }) => metadata.namespace);

    expect(new Set(namespaces.filter(Boolean))).toEqual(new Set(['apps']));
  });
});
