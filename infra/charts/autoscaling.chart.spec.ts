import { synthesize, synthesizeChart } from './manifest.fixture';

const synth = (given?: object) => synthesizeChart('autoscaling', given);
const autoscaled = { resolver: { autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 9, targetCpuPercent: 60 } } };

describe('AutoscalingChart', () => {
  it('lets pods of both programs be evicted one after the other', () => {
    expect(synth().map(({ kind, metadata, spec }) => [kind, metadata.name, spec.maxUnavailable])).toEqual([
      ['PodDisruptionBudget', 'elasti-operator-controller-manager', 1],
      ['PodDisruptionBudget', 'elasti-resolver', 1],
    ]);
  });

  it('selects with each budget the pods of its Deployment', () => {
    const selectors = (kind: string) => synthesize().flatMap((object) => (object.kind === kind ? [object.spec.selector] : []));

    expect(selectors('PodDisruptionBudget')).toEqual(selectors('Deployment'));
  });

  it('scales the resolvers where it is asked to, and the Deployment then has no number of its own', () => {
    const [hpa] = synth({ ...autoscaled, disruptionBudget: { enabled: false } });
    const replicas = synthesize(autoscaled).flatMap(({ kind, spec }) => (kind === 'Deployment' ? [spec.replicas] : []));

    expect(hpa).toMatchObject({
      kind: 'HorizontalPodAutoscaler',
      spec: {
        minReplicas: 3,
        maxReplicas: 9,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'elasti-resolver' },
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }],
      },
    });
    expect(replicas).toEqual([2, undefined]);
  });
});
