import { get, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { each, existing, fill, inner, isAbsent } from './fill';
import { fillPodTemplate } from './pods';

export function fillDeployment(deployment: JsonObject): void {
  const spec = workloadSpec(deployment);
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  const strategy = inner(spec, 'strategy');
  if (isAbsent(strategy.type)) strategy.type = 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') fill(inner(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  fill(deployment, { status: {} });
}

export function fillReplicaSet(replicaSet: JsonObject): void {
  fill(workloadSpec(replicaSet), { replicas: 1 });
  fill(inner(replicaSet, 'status'), { replicas: 0 });
}

export function fillStatefulSet(statefulSet: JsonObject): void {
  const spec = workloadSpec(statefulSet);
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' });
  fill(inner(spec, 'persistentVolumeClaimRetentionPolicy'), { whenDeleted: 'Retain', whenScaled: 'Retain' });
  const strategy = inner(spec, 'updateStrategy');
  if (isAbsent(strategy.type)) strategy.type = 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') fill(inner(strategy, 'rollingUpdate'), { partition: 0 });
  each(spec, 'volumeClaimTemplates', (claim) => {
    fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    fillClaim(claim);
  });
  fill(inner(statefulSet, 'status'), { availableReplicas: 0, replicas: 0 });
}

export function fillDaemonSet(daemonSet: JsonObject): void {
  const spec = workloadSpec(daemonSet);
  fill(spec, { revisionHistoryLimit: 10 });
  const strategy = inner(spec, 'updateStrategy');
  if (isAbsent(strategy.type)) strategy.type = 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') fill(inner(strategy, 'rollingUpdate'), { maxSurge: 0, maxUnavailable: 1 });
  fill(inner(daemonSet, 'status'), { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 });
}

export function fillClaim(claim: JsonObject): void {
  fill(inner(claim, 'spec'), { volumeMode: 'Filesystem' });
  fill(inner(claim, 'status'), { phase: 'Pending' });
}

export function fillJob(job: JsonObject): void {
  const spec = workloadSpec(job);
  fill(spec, {
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    manualSelector: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    suspend: false,
  });
  // A job with a parallelism and no completions is a work queue: any success ends it.
  if (get(spec, 'completions') === undefined && get(spec, 'parallelism') === undefined) fill(spec, { completions: 1 });
  fill(spec, { parallelism: 1 });
  fill(job, { status: {} });
}

export function fillCronJob(cronJob: JsonObject): void {
  const spec = inner(cronJob, 'spec');
  fill(spec, { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
  existing(spec, 'jobTemplate', (template) => {
    inner(template, 'metadata');
    existing(inner(template, 'spec'), 'template', fillPodTemplate);
  });
  fill(cronJob, { status: {} });
}

export function fillAutoscaler(autoscaler: JsonObject): void {
  const spec = inner(autoscaler, 'spec');
  fill(spec, { minReplicas: 1 });
  if (!textAt(autoscaler, 'apiVersion').endsWith('/v2')) return;
  fill(spec, { metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }] });
  fill(inner(autoscaler, 'status'), { currentMetrics: null, desiredReplicas: 0 });
}

function workloadSpec(workload: JsonObject): JsonObject {
  const spec = inner(workload, 'spec');
  existing(spec, 'template', fillPodTemplate);
  return spec;
}
