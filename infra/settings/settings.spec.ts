import { parseSettings, settingsFrom } from './settings';
import { SettingsError } from './settings.errors';

const parse = (text: string, env?: Record<string, string>) => parseSettings({ name: 'my.yaml', text }, env);

function mistakesOf(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('parseSettings', () => {
  it('takes labels, annotations and amounts in every form that the API server takes', () => {
    const text = `
      labels: { example.com/team: "", b: ${'x'.repeat(63)} }
      annotations: { example.com/what: "anything: at all" }
      traffic: { settleTime: 45s }
      operator: { resources: { requests: { cpu: 1000m, memory: 1024Mi }, limits: { cpu: 1, memory: 1Gi } } }
      resolver: { queueMebibytes: 128, resources: { limits: { memory: 256Mi } } }
    `;

    expect(mistakesOf(text)).toEqual([]);
  });

  it('takes what the scheduler and the autoscaler are told in every form that the API server takes', () => {
    const text = `
      priorityClass: { name: system-cluster-critical }
      operator:
        tolerations:
          - { operator: Exists }
          - { key: a, effect: NoExecute, tolerationSeconds: 5 }
          - { key: a, operator: Equal, value: b, effect: PreferNoSchedule }
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
                - matchExpressions: [{ key: a, operator: DoesNotExist }, { key: b, operator: Lt, values: ["1"] }]
                  matchFields: [{ key: metadata.name, operator: NotIn, values: [a] }]
          podAffinity:
            preferredDuringSchedulingIgnoredDuringExecution:
              - weight: 1
                podAffinityTerm: { topologyKey: zone, labelSelector: { matchLabels: { matchExpressions: x } } }
      resolver:
        autoscaling: { enabled: true }
        resources:
          requests: { memory: 256Mi, ephemeral-storage: 1Gi, hugepages-2Mi: 4Mi }
          limits: { cpu: 1, memory: 1Gi, hugepages-2Mi: 4Mi, example.com/dongle: 1 }
    `;

    expect(mistakesOf(text)).toEqual([]);
  });

  it.each(['', '# nothing but a comment', 'operator:'])('takes the defaults where nothing is said: %j', (text) => {
    expect(parse(text)).toEqual(settingsFrom());
  });

  it('keeps the defaults beside what is said', () => {
    const { resolver } = parse('resolver: { resources: { limits: { memory: 2Gi } }, queueSize: 7 }');

    expect(resolver).toMatchObject({
      queueSize: 7,
      replicas: 2,
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '2Gi' } },
    });
  });

  it('says all mistakes at once, each with its path and what the field is for', () => {
    const text = `
      namspace: sleepers
      variant: clusterwide
      operator: { replicas: many, prometheus: { server: x }, tolerations: [fine] }
      resolver: { autoscaling: { minReplicas: 0 } }
      extraScalableKinds: [{ group: games.example }]
      imagePullSecrets: registry
      labels: { team: 7 }
    `;

    expect(mistakesOf(text)).toEqual([
      'variant must be one of "cluster", "namespaced" (`namespaced` asks for no permission outside of the namespaces it names)',
      'imagePullSecrets must be of type array (Names of the Secrets for the registry)',
      'labels.team must be of type string',
      'extraScalableKinds[0].resource is required (Its plural, such as gameservers)',
      'operator.replicas must be of type integer (Pods; one leads, all answer wakes)',
      'operator.tolerations[0] must be of type object',
      'resolver.autoscaling.minReplicas must be at least 1 (Pods at least)',
      expect.stringMatching(/^namspace is not known; known here: namespace, createNamespace, /),
      'operator.prometheus.server is not known; known here: serverAddress, authorizationSecret, authorizedOrigins, maxConcurrency',
    ]);
  });

  it('says beside wrong fields what right ones contradict', () => {
    const text =
      'namspace: x\noperator: { replicas: many, env: { POLLING_INTERVAL: 1s } }\nextraScalableKinds: [{}]\npriorityClass: { value: 1 }';

    expect(mistakesOf(text).map((mistake) => mistake.split(' ')[0])).toEqual([
      'extraScalableKinds[0].group',
      'extraScalableKinds[0].resource',
      'operator.replicas',
      'namspace',
      'operator.env.POLLING_INTERVAL',
      'priorityClass.value',
    ]);
  });

  it('says where the mistakes are', () => {
    expect(() => parse('a: 1\nb: 2')).toThrow(/^my\.yaml has 2 mistakes:\n- a is not known.*\n- b is not known/);
    expect(() => parse('a: 1')).toThrow(/^my\.yaml has 1 mistake:\n- a /);
  });

  it.each([
    ['a list', '- namespace'],
    ['a word', 'elasti'],
  ])('refuses %s', (_what, text) => {
    expect(mistakesOf(text)).toEqual(['the file must be of type object']);
  });

  it('says what is wrong with the YAML itself', () => {
    expect(mistakesOf('operator: {')).toEqual([expect.stringContaining('line 1')]);
    expect(mistakesOf('namespace: a\nnamespace: b')).toEqual([expect.stringContaining('keys must be unique')]);
  });

  it('takes images from the environment before those in the file', () => {
    const { operator, resolver } = parse('operator: { image: a, replicas: 3 }', { OPERATOR_IMAGE: 'b', RESOLVER_IMAGE: '' });

    expect([operator.image, operator.replicas, resolver.image]).toEqual(['b', 3, 'elasti-resolver:latest']);
  });

  it('asks for a token in the cluster, and for a shared secret where tokens cannot be reviewed', () => {
    const wakeAuths = ['', 'variant: namespaced\nwatchNamespaces: [shop]', 'wakeAuth: off'].map((text) => parse(text).wakeAuth);

    expect(wakeAuths).toEqual(['token-review', 'shared-secret', 'off']);
  });
});

describe('contradictions', () => {
  it.each<[string, string, string[]]>([
    [
      'no namespaces to look after',
      'variant: namespaced',
      ['watchNamespaces must name the namespaces that a namespaced installation looks after'],
    ],
    [
      'token reviews without the cluster',
      'variant: namespaced\nwatchNamespaces: [shop]\nwakeAuth: token-review',
      ['wakeAuth: token-review needs a permission of the whole cluster; use shared-secret, or variant: cluster'],
    ],
    [
      'durations that are none',
      'operator: { pollingInterval: 30 seconds }\ntraffic: { settleTime: 0s, handoverGrace: "5" }',
      [
        'operator.pollingInterval must be a Go duration above zero, such as 30s',
        'traffic.settleTime must be a Go duration above zero, such as 30s',
        'traffic.handoverGrace must be a Go duration above zero, such as 30s',
      ],
    ],
    [
      'a Prometheus that cannot be asked',
      'operator: { prometheus: { serverAddress: "prometheus:9090", authorizedOrigins: ["https://a/b"] } }',
      [
        'operator.prometheus.serverAddress must be a URL that begins with http:// or https://, without query or fragment',
        'operator.prometheus.authorizedOrigins[0] must be an origin, such as https://prometheus.example:9090, without a path',
      ],
    ],
    [
      'a header for nobody',
      'operator: { prometheus: { authorizationSecret: { name: prometheus } } }',
      [
        'operator.prometheus.authorizationSecret is for nobody: set operator.prometheus.serverAddress or operator.prometheus.authorizedOrigins',
      ],
    ],
    [
      'variables that settings set, and names that are none',
      'operator: { env: { POLLING_INTERVAL: 1s, "a-b": c } }\nresolver: { env: { QUEUE_SIZE: "1", POLLING_INTERVAL: fine } }',
      [
        'operator.env.a-b is no name of a variable: use letters, digits and _',
        'operator.env.POLLING_INTERVAL is set by operator.pollingInterval; use that',
        'resolver.env.QUEUE_SIZE is set by resolver.queueSize; use that',
      ],
    ],
    [
      'variables that the rest of the manifests must agree with',
      'operator: { env: { ELASTI_RESOLVER_PORT: "9999", ELASTI_OPERATOR_PROBE_PORT: "8082" } }\nresolver: { env: { ELASTI_OPERATOR_PORT: "9999", ELASTI_RESOLVER_PROXY_PORT: "9999", ELASTI_BIND_ADDRESS: 127.0.0.1, ELASTI_SERVICE_QUEUE_SIZE: "5" } }',
      [
        'operator.env.ELASTI_RESOLVER_PORT must stay 8013, which these manifests are written for; leave it out',
        'operator.env.ELASTI_OPERATOR_PROBE_PORT must stay 8081, which these manifests are written for; leave it out',
        'resolver.env.ELASTI_OPERATOR_PORT must stay 8013, which these manifests are written for; leave it out',
        'resolver.env.ELASTI_RESOLVER_PROXY_PORT must stay 8012, which these manifests are written for; leave it out',
        'resolver.env.ELASTI_BIND_ADDRESS must stay every address of the pod, which these manifests are written for; leave it out',
      ],
    ],
    [
      'labels that something of Elasti selects by, be it of the other program',
      'operator: { podLabels: { app: elasti-resolver } }\nresolver: { podLabels: { app: mine, control-plane: controller-manager } }\nlabels: { app.kubernetes.io/name: mine }',
      [
        'operator.podLabels.app is what Deployments, Services and policies of Elasti select by; use another label',
        'resolver.podLabels.app is what Deployments, Services and policies of Elasti select by; use another label',
        'resolver.podLabels.control-plane is what Deployments, Services and policies of Elasti select by; use another label',
        "labels.app.kubernetes.io/name is one of Elasti's own; use another label",
      ],
    ],
    [
      'fields of a pod that would be lost',
      'operator: { affinity: { nodeAfinity: {} }, tolerations: [{ key: a, efect: NoSchedule }] }',
      [
        'operator.affinity.nodeAfinity is not known to Kubernetes 1.28, which these manifests are written for; leave it out',
        'operator.tolerations[0].efect is not known to Kubernetes 1.28, which these manifests are written for; leave it out',
      ],
    ],
    [
      'tolerations that the API server refuses',
      'operator: { tolerations: [{ key: a, operator: Sometimes }, { key: a, effect: NoSleep }, { operator: Equal, value: b }] }\nresolver: { tolerations: [{ key: a, operator: Exists, value: b }, { key: a, tolerationSeconds: 5 }] }',
      [
        'operator.tolerations[0].operator must be one of Exists, Equal',
        'operator.tolerations[1].effect must be one of NoSchedule, PreferNoSchedule, NoExecute',
        'operator.tolerations[2].key is needed, unless operator is Exists: every taint is put up with then',
        'resolver.tolerations[0].value must be left out, as operator is Exists',
        'resolver.tolerations[1].effect must be NoExecute, as there are tolerationSeconds',
      ],
    ],
    [
      'affinity that the API server refuses',
      `operator:
         affinity:
           nodeAffinity:
             requiredDuringSchedulingIgnoredDuringExecution:
               nodeSelectorTerms:
                 - matchExpressions: [{ key: a, operator: Is, values: [b] }, { key: a, operator: Gt, values: ["1"] }]
                   matchFields: [{ key: metadata.name, operator: Exists }]
             preferredDuringSchedulingIgnoredDuringExecution:
               - { weight: 1, preference: { matchExpressions: [{ key: a, values: [b] }] } }
           podAntiAffinity:
             requiredDuringSchedulingIgnoredDuringExecution:
               - { topologyKey: zone, labelSelector: { matchExpressions: [{ key: a, operator: Gt, values: ["1"] }] } }
               - { topologyKey: zone, namespaceSelector: { matchExpressions: [{ key: a, operator: In }, { key: a, operator: Exists, values: [b] }] } }`,
      [
        'nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt',
        'nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator must be one of In, NotIn',
        'nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].operator must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt',
        'podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].operator must be one of In, NotIn, Exists, DoesNotExist',
        'podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].namespaceSelector.matchExpressions[0].values must not be empty, as operator is In',
        'podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].namespaceSelector.matchExpressions[1].values must be left out, as operator is Exists',
      ].map((mistake) => `operator.affinity.${mistake}`),
    ],
    [
      'resources that a container does not have',
      'operator: { resources: { requests: { cpus: 1 }, limits: { requests.memory: 1Gi } } }\nresolver: { resources: { limits: { memory: 1Gi, kubernetes.io/: 1 } } }',
      ['operator.resources.requests.cpus', 'operator.resources.limits.requests.memory', 'resolver.resources.limits.kubernetes.io/'].map(
        (field) =>
          `${field} is no resource of a container: use cpu, memory, ephemeral-storage, hugepages-2Mi, or a name after a domain and /`,
      ),
    ],
    [
      'an autoscaler without the request that it takes a share of',
      'resolver: { autoscaling: { enabled: true }, resources: { requests: { memory: 128Mi } } }',
      ['resolver.resources.requests.cpu must be above 0, such as 100m: resolver.autoscaling aims at a share of it'],
    ],
    [
      'an autoscaler that takes a share of nothing',
      'resolver: { autoscaling: { enabled: true }, resources: { requests: { cpu: 0 } } }',
      ['resolver.resources.requests.cpu must be above 0, such as 100m: resolver.autoscaling aims at a share of it'],
    ],
    [
      'a field once, where it is wrong by itself',
      'resolver: { autoscaling: { enabled: true }, resources: { requests: { cpu: much } } }',
      [expect.stringMatching(/^resolver\.resources\.requests\.cpu must match /)],
    ],
    [
      "a PriorityClass with a name of Kubernetes' own",
      'priorityClass: { name: system-elasti }',
      [
        'priorityClass.name must not begin with system-: only system-cluster-critical and system-node-critical do, which are there without priorityClass.value',
      ],
    ],
    [
      'a PriorityClass of Kubernetes made anew',
      'priorityClass: { name: system-cluster-critical, value: 1 }',
      [
        'priorityClass.name must not begin with system-: only system-cluster-critical and system-node-critical do, which are there without priorityClass.value',
      ],
    ],
    [
      'requests above limits, and a limit that what is held would not fit into',
      'operator: { resources: { requests: { cpu: 1, memory: 1Gi }, limits: { cpu: 500m } } }\nresolver: { resources: { limits: { memory: 100Mi } } }',
      [
        'operator.resources.requests.cpu must not be above operator.resources.limits.cpu',
        'resolver.resources.requests.memory must not be above resolver.resources.limits.memory',
        'resolver.resources.limits.memory must be at least 384Mi, as 256Mi may be held: raise it, or lower resolver.queueMebibytes',
      ],
    ],
    [
      'labels, annotations and names that the API server refuses',
      'labels: { team: "a b" }\nannotations: { "what?": x }\nimagePullSecrets: [a..b]\noperator: { podLabels: { a/b/c: d }, nodeSelector: { zone: -x } }\nresolver: { podAnnotations: { "/a": b } }',
      [
        expect.stringMatching(/^imagePullSecrets\[0\] must match /),
        ...['operator.podLabels.a/b/c', 'annotations.what?', 'resolver.podAnnotations./a'].map(
          (field) => `${field} is no key: use at most 63 letters, digits, -, _ and ., and before them a domain and / if you like`,
        ),
        ...['labels.team', 'operator.nodeSelector.zone'].map(
          (field) => `${field} must be at most 63 letters, digits, -, _ and ., with a letter or digit at both ends`,
        ),
      ],
    ],
    [
      'a new PriorityClass without a name, and bounds the wrong way round',
      'priorityClass: { value: 1 }\nresolver: { autoscaling: { minReplicas: 5, maxReplicas: 4 } }',
      [
        'priorityClass.value needs priorityClass.name: what is the new class called?',
        'resolver.autoscaling.maxReplicas must not be below resolver.autoscaling.minReplicas',
      ],
    ],
  ])('are refused: %s', (_what, text, mistakes) => {
    expect(mistakesOf(text)).toEqual(mistakes);
  });
});
