import { type Manifest, podOf, synthesize, synthesizeChart, variablesOf } from './manifest.fixture';

const pods = (given: object) => ['operator', 'resolver'].map((program) => podOf(synthesizeChart(program, given)));

describe('the pods of both programs', () => {
  it('pass the restricted Pod Security standard, with a root that cannot be written', () => {
    for (const pod of pods({})) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
      expect(pod.containers.map(({ securityContext }) => securityContext)).toEqual([
        expect.objectContaining({
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          privileged: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        }),
      ]);
    }
  });

  it('spread over nodes and zones, each program for itself', () => {
    const keys = pods({}).map(({ topologySpreadConstraints }) =>
      (topologySpreadConstraints as { topologyKey: string; labelSelector: object }[]).map(({ topologyKey }) => topologyKey),
    );

    expect(keys).toEqual([
      ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
      ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
    ]);
  });

  it('stay a while where a Service may still name them: the operator by a sleep, within its grace, and the resolver by itself', () => {
    const [operator, resolver] = pods({});
    // Its own time, and a little for the last requests.
    const operatorStopsInSeconds = 10;

    expect(operator?.containers[0]?.lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
    expect(operator?.terminationGracePeriodSeconds).toBeGreaterThan(5 + operatorStopsInSeconds);
    expect(resolver?.containers[0]?.lifecycle).toBeUndefined();
  });

  it('leave it to whoever moves over from KubeElasti how long a new one must be ready before an old one goes', () => {
    const deployments = ['operator', 'resolver'].map((program) => synthesizeChart(program, {}).find(({ kind }) => kind === 'Deployment'));

    for (const deployment of deployments) {
      expect(deployment?.spec).toHaveProperty('selector');
      expect(deployment?.spec).not.toHaveProperty('minReadySeconds');
    }
  });

  it("send errors by the DSN of both, or by the one that is the program's own", () => {
    const given = { sentry: { secretName: 'errors', secretKey: 'both' }, operator: { sentrySecretKey: 'operatorSentryDsn' } };

    expect(pods(given).map((pod) => variablesOf(pod).SENTRY_DSN)).toEqual([
      { secretKeyRef: { name: 'errors', key: 'operatorSentryDsn' } },
      { secretKeyRef: { name: 'errors', key: 'both' } },
    ]);
  });

  it('are made as the settings say', () => {
    const own = {
      image: 'registry.example/elasti:1',
      resources: { requests: { cpu: 1, memory: '64Mi' }, limits: { memory: '512Mi', 'example.com/dongle': '2' } },
      podLabels: { team: 'infra' },
      podAnnotations: { 'example.com/scrape': 'no' },
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'arch', operator: 'In', values: ['arm64'] }] }],
          },
        },
      },
    };
    const given = {
      operator: own,
      resolver: own,
      imagePullSecrets: ['regcred'],
      imagePullPolicy: 'Always',
      priorityClass: { name: 'important' },
    };
    const { nodeSelector, tolerations, affinity } = own;

    for (const pod of pods(given)) {
      expect(pod).toMatchObject({
        nodeSelector,
        tolerations,
        affinity,
        imagePullSecrets: [{ name: 'regcred' }],
        priorityClassName: 'important',
      });
      expect(pod.containers[0]).toMatchObject({ image: own.image, imagePullPolicy: 'Always', resources: own.resources });
    }
    const templates = synthesize(given).flatMap(({ spec }) => (spec as Partial<Manifest['spec']> | undefined)?.template ?? []);
    expect(templates.map(({ metadata }) => [metadata.labels?.team, metadata.annotations])).toEqual([
      ['infra', own.podAnnotations],
      ['infra', own.podAnnotations],
    ]);
  });
});
