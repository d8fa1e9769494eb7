/** Pods of about 4 KB of JSON, shaped like a real cluster's: template labels, env, volumes, status and managedFields. */
export function buildPod(number) {
  const name = `web-${(number % 400).toString(36)}-7d9c5b8f4d-${number.toString(36).padStart(5, '0')}`;
  const app = `web-${(number % 400).toString(36)}`;
  const time = new Date(Date.UTC(2030, 0, 1) + number * 1000).toISOString().replace('.000', '');
  const ip = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  const container = (containerName) => ({
    name: containerName,
    image: `registry.example.com/shop/${app}/${containerName}:v1.${number % 17}.${number % 9}`,
    imagePullPolicy: 'IfNotPresent',
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: ['LOG_LEVEL', 'REGION', 'POOL_SIZE'].map((variable) => ({ name: variable, value: `${variable.toLowerCase()}-value` })),
    resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '50m', memory: '128Mi' } },
    volumeMounts: [{ name: 'kube-api-access', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    readinessProbe: {
      httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
    },
  });
  const condition = (type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: time });
  const containerField = {
    '.': {},
    'f:image': {},
    'f:imagePullPolicy': {},
    'f:name': {},
    'f:ports': { '.': {}, 'k:{"containerPort":8080,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:name': {}, 'f:protocol': {} } },
    'f:resources': { '.': {}, 'f:limits': { '.': {}, 'f:cpu': {}, 'f:memory': {} } },
    'f:terminationMessagePath': {},
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: `shop-${number % 20}`,
      labels: { app, 'pod-template-hash': '7d9c5b8f4d', 'app.kubernetes.io/part-of': 'shop', tier: number % 3 ? 'backend' : 'frontend' },
      annotations: { 'prometheus.io/scrape': 'true', 'checksum/config': `${number}`.padStart(64, '0') },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-7d9c5b8f4d`,
          uid: `00000000-0000-4000-8000-${String(number % 400).padStart(12, '0')}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': {
              'f:annotations': { '.': {}, 'f:checksum/config': {} },
              'f:generateName': {},
              'f:labels': { '.': {}, 'f:app': {} },
            },
            'f:spec': {
              'f:containers': { 'k:{"name":"app"}': containerField },
              'f:dnsPolicy': {},
              'f:restartPolicy': {},
              'f:schedulerName': {},
            },
          },
        },
        {
          manager: 'kubelet',
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          subresource: 'status',
          fieldsV1: {
            'f:status': {
              'f:conditions': Object.fromEntries(
                ['ContainersReady', 'Initialized', 'Ready'].map((type) => [
                  `k:{"type":"${type}"}`,
                  { '.': {}, 'f:lastProbeTime': {}, 'f:lastTransitionTime': {}, 'f:status': {}, 'f:type': {} },
                ]),
              ),
              'f:containerStatuses': {},
              'f:hostIP': {},
              'f:phase': {},
              'f:podIP': {},
              'f:podIPs': { '.': {}, [`k:{"ip":"${ip}"}`]: { '.': {}, 'f:ip': {} } },
              'f:startTime': {},
            },
          },
        },
      ],
    },
    spec: {
      containers: [container('app')],
      nodeName: `node-${number % 50}`,
      restartPolicy: 'Always',
      serviceAccountName: app,
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
      volumes: [
        {
          name: 'kube-api-access',
          projected: { defaultMode: 420, sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }] },
        },
      ],
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
      hostIP: `192.0.2.${number % 50}`,
      podIP: ip,
      podIPs: [{ ip }],
      startTime: time,
      qosClass: 'Burstable',
      containerStatuses: [
        {
          name: 'app',
          ready: true,
          started: true,
          restartCount: number % 4,
          state: { running: { startedAt: time } },
          containerID: `containerd://${String(number).padStart(64, 'f')}`,
          imageID: `sha256:${String(number % 17).padStart(64, 'e')}`,
        },
      ],
    },
  };
}
