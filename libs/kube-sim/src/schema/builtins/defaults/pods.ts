import { get, has, isObject, objectAt, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { each, existing, fill, inner, isAbsent } from './fill';

/** What a pod template and a pod have in common. */
export function fillPodSpec(spec: JsonObject): void {
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account !== '') Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const key of ['initContainers', 'containers', 'ephemeralContainers']) each(spec, key, fillContainer);
  each(spec, 'volumes', fillVolume);
}

export function fillPodTemplate(template: JsonObject): void {
  inner(template, 'metadata');
  fillPodSpec(inner(template, 'spec'));
}

export function fillPod(pod: JsonObject): void {
  const spec = inner(pod, 'spec');
  fillPodSpec(spec);
  fill(spec, { enableServiceLinks: true });
  for (const key of ['initContainers', 'containers']) {
    each(spec, key, (container) => {
      fillRequests(container);
      if (get(spec, 'hostNetwork') === true) each(container, 'ports', fillHostPort);
    });
  }
  fill(inner(pod, 'status'), { phase: 'Pending', qosClass: qosClass(spec) });
}

function fillHostPort(port: JsonObject): void {
  const number = get(port, 'containerPort');
  if (number !== undefined) fill(port, { hostPort: number });
}

function fillContainer(container: JsonObject): void {
  fill(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(textAt(container, 'image')),
    resources: {},
  });
  each(container, 'ports', (port) => fill(port, { protocol: 'TCP' }));
  each(container, 'env', fillVariable);
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) existing(container, probe, fillProbe);
  existing(container, 'lifecycle', (lifecycle) => {
    for (const hook of ['postStart', 'preStop']) existing(lifecycle, hook, (handler) => existing(handler, 'httpGet', fillHttpGet));
  });
}

/** A tag that may move, or none, is pulled each time. */
function pullPolicy(image: string): string {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = /:([^/:]+)$/.exec(image)?.[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function fillVariable(variable: JsonObject): void {
  existing(variable, 'valueFrom', (source) => existing(source, 'fieldRef', (field) => fill(field, { apiVersion: 'v1' })));
}

function fillProbe(probe: JsonObject): void {
  fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  existing(probe, 'httpGet', fillHttpGet);
  existing(probe, 'grpc', (grpc) => fill(grpc, { service: '' }));
}

function fillHttpGet(get: JsonObject): void {
  if (isAbsent(get.path)) get.path = '/';
  if (isAbsent(get.scheme)) get.scheme = 'HTTP';
}

function fillVolume(volume: JsonObject): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {};
  for (const kind of ['configMap', 'secret', 'downwardAPI', 'projected'])
    existing(volume, kind, (source) => fill(source, { defaultMode: 420 }));
  existing(volume, 'hostPath', (source) => fill(source, { type: '' }));
  existing(volume, 'projected', (source) =>
    each(source, 'sources', (part) => existing(part, 'serviceAccountToken', (token) => fill(token, { expirationSeconds: 3600 }))),
  );
}

function fillRequests(container: JsonObject): void {
  const limits = objectAt(container, 'resources', 'limits');
  if (limits !== undefined) fill(inner(inner(container, 'resources'), 'requests'), limits);
}

function qosClass(spec: JsonObject): string {
  const containers = ['initContainers', 'containers'].flatMap((key) => (Array.isArray(spec[key]) ? spec[key] : [])).filter(isObject);
  const settings = containers.map((container) => [
    objectAt(container, 'resources', 'limits') ?? {},
    objectAt(container, 'resources', 'requests') ?? {},
  ]);
  if (settings.every((maps) => maps.every((map) => !has(map, 'cpu') && !has(map, 'memory')))) return 'BestEffort';
  const isGuaranteed = settings.every(([limits = {}, requests = {}]) =>
    ['cpu', 'memory'].every((key) => has(limits, key) && limits[key] === requests[key]),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}
