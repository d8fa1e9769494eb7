import type { JsonObject } from '../../json';
import { defaultBuiltin } from '.';

// Recorded from a Kubernetes 1.36 API server, without what its allocators, admission plugins and controllers add.
const recorded: [string, JsonObject, JsonObject][] = [
  [
    'Service',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's1', namespace: 'default' },
      spec: { selector: { a: 'b' }, ports: [{ port: 80 }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's1', namespace: 'default' },
      spec: {
        internalTrafficPolicy: 'Cluster',
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        selector: { a: 'b' },
        sessionAffinity: 'None',
        type: 'ClusterIP',
      },
      status: { loadBalancer: {} },
    },
  ],
  [
    'Service',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's2', namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'a.b' },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's2', namespace: 'default' },
      spec: { externalName: 'a.b', sessionAffinity: 'None', type: 'ExternalName' },
      status: { loadBalancer: {} },
    },
  ],
  [
    'Service',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's3', namespace: 'default' },
      spec: {
        type: 'LoadBalancer',
        sessionAffinity: 'ClientIP',
        ports: [
          { port: 80, targetPort: 'http', name: 'a' },
          { port: 81, name: 'b', protocol: 'UDP' },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's3', namespace: 'default' },
      spec: {
        allocateLoadBalancerNodePorts: true,
        externalTrafficPolicy: 'Cluster',
        internalTrafficPolicy: 'Cluster',
        ports: [
          { name: 'a', port: 80, protocol: 'TCP', targetPort: 'http' },
          { name: 'b', port: 81, protocol: 'UDP', targetPort: 81 },
        ],
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        type: 'LoadBalancer',
      },
      status: { loadBalancer: {} },
    },
  ],
  [
    'StatefulSet',
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'ss', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        serviceName: 'x',
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
        volumeClaimTemplates: [
          { metadata: { name: 'd' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        ],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'ss', namespace: 'default' },
      spec: {
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        podManagementPolicy: 'OrderedReady',
        replicas: 1,
        revisionHistoryLimit: 10,
        selector: { matchLabels: { a: 'b' } },
        serviceName: 'x',
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [
              {
                image: 'a',
                imagePullPolicy: 'Always',
                name: 'a',
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
              },
            ],
            dnsPolicy: 'ClusterFirst',
            restartPolicy: 'Always',
            schedulerName: 'default-scheduler',
            securityContext: {},
            terminationGracePeriodSeconds: 30,
          },
        },
        updateStrategy: { rollingUpdate: { partition: 0 }, type: 'RollingUpdate' },
        volumeClaimTemplates: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'd' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' },
            status: { phase: 'Pending' },
          },
        ],
      },
      status: { availableReplicas: 0, replicas: 0 },
    },
  ],
  [
    'ReplicaSet',
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'rs', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            serviceAccountName: 'default',
            containers: [
              {
                name: 'a',
                image: 'a:5000/b',
                readinessProbe: { httpGet: { port: 80 } },
                livenessProbe: { exec: { command: ['a'] } },
                env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
                resources: { limits: { cpu: 1 } },
              },
            ],
            volumes: [
              { name: 'a', configMap: { name: 'a' } },
              { name: 'b', secret: { secretName: 'a' } },
              { name: 'c' },
              { name: 'd', hostPath: { path: '/x' } },
              { name: 'e', projected: { sources: [{ serviceAccountToken: { path: 'x' } }] } },
              { name: 'f', emptyDir: {} },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'rs', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [
              {
                env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
                image: 'a:5000/b',
                imagePullPolicy: 'Always',
                livenessProbe: { exec: { command: ['a'] }, failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 },
                name: 'a',
                readinessProbe: {
                  failureThreshold: 3,
                  httpGet: { path: '/', port: 80, scheme: 'HTTP' },
                  periodSeconds: 10,
                  successThreshold: 1,
                  timeoutSeconds: 1,
                },
                resources: { limits: { cpu: '1' } },
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
              },
            ],
            dnsPolicy: 'ClusterFirst',
            restartPolicy: 'Always',
            schedulerName: 'default-scheduler',
            securityContext: {},
            serviceAccount: 'default',
            serviceAccountName: 'default',
            terminationGracePeriodSeconds: 30,
            volumes: [
              { configMap: { defaultMode: 420, name: 'a' }, name: 'a' },
              { name: 'b', secret: { defaultMode: 420, secretName: 'a' } },
              { emptyDir: {}, name: 'c' },
              { hostPath: { path: '/x', type: '' }, name: 'd' },
              { name: 'e', projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: 'x' } }] } },
              { emptyDir: {}, name: 'f' },
            ],
          },
        },
      },
      status: { replicas: 0 },
    },
  ],
  [
    'DaemonSet',
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'ds', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { hostNetwork: true, containers: [{ name: 'a', image: 'a:latest', ports: [{ containerPort: 80 }] }] },
        },
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'ds', namespace: 'default' },
      spec: {
        revisionHistoryLimit: 10,
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [
              {
                image: 'a:latest',
                imagePullPolicy: 'Always',
                name: 'a',
                ports: [{ containerPort: 80, protocol: 'TCP' }],
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
              },
            ],
            dnsPolicy: 'ClusterFirst',
            hostNetwork: true,
            restartPolicy: 'Always',
            schedulerName: 'default-scheduler',
            securityContext: {},
            terminationGracePeriodSeconds: 30,
          },
        },
        updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 }, type: 'RollingUpdate' },
      },
      status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
    },
  ],
  [
    'Pod',
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default' },
      spec: {
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'a',
            image: 'a@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
            resources: { limits: { cpu: 1 } },
          },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default' },
      spec: {
        automountServiceAccountToken: false,
        containers: [
          {
            image: 'a@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
            imagePullPolicy: 'IfNotPresent',
            name: 'a',
            resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        dnsPolicy: 'ClusterFirst',
        enableServiceLinks: true,
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
      },
      status: { phase: 'Pending', qosClass: 'Burstable' },
    },
  ],
  [
    'Deployment',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'dep', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        strategy: { type: 'Recreate' },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'dep', namespace: 'default' },
      spec: {
        progressDeadlineSeconds: 600,
        replicas: 1,
        revisionHistoryLimit: 10,
        selector: { matchLabels: { a: 'b' } },
        strategy: { type: 'Recreate' },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [
              {
                image: 'a',
                imagePullPolicy: 'Always',
                name: 'a',
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
              },
            ],
            dnsPolicy: 'ClusterFirst',
            restartPolicy: 'Always',
            schedulerName: 'default-scheduler',
            securityContext: {},
            terminationGracePeriodSeconds: 30,
          },
        },
      },
      status: {},
    },
  ],
  [
    'Deployment',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'dep2', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        strategy: { rollingUpdate: { maxSurge: 1 } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'dep2', namespace: 'default' },
      spec: {
        progressDeadlineSeconds: 600,
        replicas: 1,
        revisionHistoryLimit: 10,
        selector: { matchLabels: { a: 'b' } },
        strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' }, type: 'RollingUpdate' },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [
              {
                image: 'a',
                imagePullPolicy: 'Always',
                name: 'a',
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
              },
            ],
            dnsPolicy: 'ClusterFirst',
            restartPolicy: 'Always',
            schedulerName: 'default-scheduler',
            securityContext: {},
            terminationGracePeriodSeconds: 30,
          },
        },
      },
      status: {},
    },
  ],
  [
    'Namespace',
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default-x' } },
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { labels: { 'kubernetes.io/metadata.name': 'default-x' }, name: 'default-x' },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
  ],
  [
    'Secret',
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'sec', namespace: 'default' }, stringData: { a: 'b' }, data: { c: 'ZA==' } },
    { apiVersion: 'v1', data: { a: 'Yg==', c: 'ZA==' }, kind: 'Secret', metadata: { name: 'sec', namespace: 'default' }, type: 'Opaque' },
  ],
  [
    'ConfigMap',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', namespace: 'default' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', namespace: 'default' } },
  ],
  [
    'PersistentVolumeClaim',
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'pvc', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'pvc', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' },
      status: { phase: 'Pending' },
    },
  ],
  [
    'CronJob',
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'cj', namespace: 'default' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } } },
      },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'cj', namespace: 'default' },
      spec: {
        concurrencyPolicy: 'Allow',
        failedJobsHistoryLimit: 1,
        jobTemplate: {
          metadata: {},
          spec: {
            template: {
              metadata: {},
              spec: {
                containers: [
                  {
                    image: 'a',
                    imagePullPolicy: 'Always',
                    name: 'a',
                    resources: {},
                    terminationMessagePath: '/dev/termination-log',
                    terminationMessagePolicy: 'File',
                  },
                ],
                dnsPolicy: 'ClusterFirst',
                restartPolicy: 'Never',
                schedulerName: 'default-scheduler',
                securityContext: {},
                terminationGracePeriodSeconds: 30,
              },
            },
          },
        },
        schedule: '* * * * *',
        successfulJobsHistoryLimit: 3,
        suspend: false,
      },
      status: {},
    },
  ],
  [
    'EndpointSlice',
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'es', namespace: 'default' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
      ports: [{ port: 80 }],
    },
    {
      addressType: 'IPv4',
      apiVersion: 'discovery.k8s.io/v1',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
      kind: 'EndpointSlice',
      metadata: { name: 'es', namespace: 'default' },
      ports: [{ name: '', port: 80, protocol: 'TCP' }],
    },
  ],
  [
    'EndpointSlice with empty lists',
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'es', namespace: 'default' },
      addressType: 'IPv4',
      endpoints: [],
      ports: [],
    },
    {
      addressType: 'IPv4',
      apiVersion: 'discovery.k8s.io/v1',
      endpoints: null,
      kind: 'EndpointSlice',
      metadata: { name: 'es', namespace: 'default' },
      ports: null,
    },
  ],
  [
    'Lease',
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l', namespace: 'default' }, spec: { holderIdentity: 'a' } },
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l', namespace: 'default' }, spec: { holderIdentity: 'a' } },
  ],
  [
    'NetworkPolicy',
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'np', namespace: 'default' },
      spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'np', namespace: 'default' },
      spec: { ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }], podSelector: {}, policyTypes: ['Ingress'] },
    },
  ],
  [
    'Ingress',
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'ing', namespace: 'default' },
      spec: {
        rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } }] } }],
      },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'ing', namespace: 'default' },
      spec: {
        rules: [{ http: { paths: [{ backend: { service: { name: 'a', port: { number: 80 } } }, path: '/', pathType: 'Prefix' }] } }],
      },
      status: { loadBalancer: {} },
    },
  ],
  [
    'HorizontalPodAutoscaler',
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'hpa', namespace: 'default' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'hpa', namespace: 'default' },
      spec: {
        maxReplicas: 3,
        metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 80, type: 'Utilization' } }, type: 'Resource' }],
        minReplicas: 1,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      },
      status: { currentMetrics: null, desiredReplicas: 0 },
    },
  ],
  [
    'RoleBinding',
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'rb', namespace: 'default' },
      roleRef: { kind: 'Role', name: 'x' },
      subjects: [
        { kind: 'User', name: 'a' },
        { kind: 'ServiceAccount', name: 'b', namespace: 'default' },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'rb', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' },
      subjects: [
        { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'a' },
        { kind: 'ServiceAccount', name: 'b', namespace: 'default' },
      ],
    },
  ],
  [
    'Role',
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r', namespace: 'default' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r', namespace: 'default' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
  ],
  [
    'MutatingWebhookConfiguration',
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'default' },
      webhooks: [
        {
          name: 'a.b.c',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { service: { name: 'a', namespace: 'b' } },
          rules: [{ apiGroups: ['x.example.com'], apiVersions: ['v1'], resources: ['xs'], operations: ['CREATE'] }],
        },
      ],
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'default' },
      webhooks: [
        {
          admissionReviewVersions: ['v1'],
          clientConfig: { service: { name: 'a', namespace: 'b', port: 443 } },
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          name: 'a.b.c',
          namespaceSelector: {},
          objectSelector: {},
          reinvocationPolicy: 'Never',
          rules: [{ apiGroups: ['x.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['xs'], scope: '*' }],
          sideEffects: 'None',
          timeoutSeconds: 10,
        },
      ],
    },
  ],
  [
    'PodDisruptionBudget',
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'pdb', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'pdb', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
      status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
    },
  ],
  [
    'ServiceAccount',
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa', namespace: 'default' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa', namespace: 'default' } },
  ],
  [
    'PriorityClass',
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'default' }, value: 5 },
    {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'default' },
      preemptionPolicy: 'PreemptLowerPriority',
      value: 5,
    },
  ],
  [
    'StorageClass',
    { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'default' }, provisioner: 'x.y/z' },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'default' },
      provisioner: 'x.y/z',
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    },
  ],
  [
    'CustomResourceDefinition',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'foos', kind: 'Foo' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.example.com' },
      spec: {
        conversion: { strategy: 'None' },
        group: 'example.com',
        names: { kind: 'Foo', listKind: 'FooList', plural: 'foos', singular: 'foo' },
        scope: 'Cluster',
        versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object' } }, served: true, storage: true }],
      },
    },
  ],
];

describe('defaultBuiltin', () => {
  it.each(recorded)('fills in a %s as the API server does: %j', (_, given, expected) => {
    expect(defaultBuiltin(given)).toEqual(expected);
  });

  it.each(recorded)('changes nothing the second time: %s', (_, given) => {
    const once = defaultBuiltin(given);

    expect(defaultBuiltin(once)).toEqual(once);
  });

  it('gives a port of a pod on the host network the same host port', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      spec: { hostNetwork: true, containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80 }] }] },
    };

    expect(defaultBuiltin(pod).spec).toMatchObject({ containers: [{ ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }] });
  });

  it.each([
    ['a', 'Always'],
    ['a:latest', 'Always'],
    ['host:5000/a', 'Always'],
    ['host:5000/a:1', 'IfNotPresent'],
    ['a@sha256:0', 'IfNotPresent'],
  ])('decides by the tag of %s how to pull it', (image, imagePullPolicy) => {
    const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'a', image }] } };

    expect(defaultBuiltin(pod).spec).toMatchObject({ containers: [{ imagePullPolicy }] });
  });

  it('leaves kinds it does not know as they are', () => {
    const object = { apiVersion: 'example.com/v1', kind: 'Thing', spec: { a: null } };

    expect(defaultBuiltin(object)).toEqual(object);
  });
});
