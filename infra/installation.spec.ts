import { ElastiService } from '@elasti/api';
import { synthesize } from './charts/manifest.fixture';

const namespaced = { variant: 'namespaced', watchNamespaces: ['shop', 'blog'] };
const withoutSchema = (given?: object) => synthesize(given).filter(({ kind }) => kind !== 'CustomResourceDefinition');

describe('addInstallation', () => {
  it('synthesizes what is reviewed in the snapshot', () => {
    expect(withoutSchema()).toMatchSnapshot();
  });

  it('synthesizes for a namespaced installation what is reviewed in the snapshot', () => {
    expect(withoutSchema(namespaced)).toMatchSnapshot();
  });

  it('has the CRD of the class that validates first, then the namespace', () => {
    const [crd, namespace] = synthesize();

    expect(crd).toMatchObject({ kind: 'CustomResourceDefinition', spec: ElastiService.crd().spec });
    expect(namespace).toMatchObject({
      kind: 'Namespace',
      metadata: { name: 'elasti', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  });

  it('puts everything else into the namespace asked for, but cluster roles', () => {
    const [, , ...rest] = synthesize({ namespace: 'sleepers' });

    const places = rest.map(({ kind, metadata }) => [kind.replace(/^ClusterRole.*/, 'cluster'), metadata.namespace] as const);
    expect(new Set(places.map(([kind, namespace]) => (kind === 'cluster' ? `cluster ${namespace}` : namespace)))).toEqual(
      new Set(['cluster undefined', 'sleepers']),
    );
  });

  it('has nothing of the whole cluster behind the first two objects in the namespaced variant', () => {
    const [crd, namespace, ...rest] = synthesize(namespaced);

    expect([crd?.kind, namespace?.kind]).toEqual(['CustomResourceDefinition', 'Namespace']);
    expect(rest.filter(({ kind, metadata }) => kind.startsWith('Cluster') || metadata.namespace === undefined)).toEqual([]);
  });

  it('leaves a namespace alone that it shares with the applications it looks after', () => {
    const shared = { namespace: 'shop', watchNamespaces: ['shop', 'blog'] };

    const namespaces = [{ ...shared, variant: 'namespaced' }, shared].flatMap(withoutSchema).filter(({ kind }) => kind === 'Namespace');
    expect(namespaces).toEqual([]);
  });

  it('makes no namespace, or one that takes any pod, where others share it and the settings say so', () => {
    const namespaces = (given: object) => synthesize(given).filter(({ kind }) => kind === 'Namespace');

    expect(namespaces({ createNamespace: false })).toEqual([]);
    expect(namespaces({ podSecurity: 'none' }).map(({ metadata }) => metadata.labels)).toEqual([{ 'app.kubernetes.io/name': 'elasti' }]);
  });

  it('labels and annotates every object as the settings say', () => {
    const [labels, annotations] = [{ team: 'infra' }, { 'example.com/owner': 'us' }];

    const others = synthesize({ labels, annotations, monitoring: { enabled: true } }).filter(
      ({ metadata }) => metadata.labels?.team !== 'infra' || metadata.annotations?.['example.com/owner'] !== 'us',
    );
    expect(others).toEqual([]);
  });

  it('has what Prometheus and Grafana need only where it is asked for', () => {
    const monitors = (given?: object) => synthesize(given).flatMap(({ kind, metadata }) => (kind === 'ServiceMonitor' ? [metadata] : []));

    expect(monitors()).toEqual([]);
    expect(monitors({ namespace: 'sleepers', monitoring: { enabled: true, labels: { release: 'stack' } } })).toMatchObject([
      { namespace: 'sleepers', labels: { release: 'stack' } },
      { namespace: 'sleepers', labels: { release: 'stack' } },
    ]);
  });

  it('makes a PriorityClass only where one is asked for', () => {
    const made = (priorityClass: object) => synthesize({ priorityClass }).filter(({ kind }) => kind === 'PriorityClass');

    expect(made({ name: 'there-already' })).toEqual([]);
    expect(made({ name: 'elasti', value: 1000 })).toMatchObject([{ metadata: { name: 'elasti' }, value: 1000 }]);
  });

  it('leaves the namespace to Helm, and the CRD to stay when a release goes', () => {
    const objects = synthesize({}, 'helm');

    expect(objects.filter(({ kind }) => kind === 'Namespace')).toEqual([]);
    expect(objects[0]?.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    expect(synthesize()[0]?.metadata.annotations).toBeUndefined();
  });
});
