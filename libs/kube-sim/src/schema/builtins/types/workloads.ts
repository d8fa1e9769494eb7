/** Deployments and their kin, jobs, autoscalers, disruption budgets. Notation: see ../type-table.ts. */
export const workloadTypes = `
package io.k8s.api.apps.v1 apps/v1
ControllerRevision kind: data object; metadata ObjectMeta; revision! int64
DaemonSet kind: metadata ObjectMeta; spec DaemonSetSpec; status DaemonSetStatus
DaemonSetCondition: lastTransitionTime date-time; message string; reason string; status! string; type! string
DaemonSetSpec: minReadySeconds int32; revisionHistoryLimit *int32; selector! LabelSelector; template! PodTemplateSpec;
  updateStrategy DaemonSetUpdateStrategy
DaemonSetStatus: collisionCount *int32; conditions []DaemonSetCondition map=type merge=type; currentNumberScheduled! int32;
  desiredNumberScheduled! int32; numberAvailable int32; numberMisscheduled! int32; numberReady! int32; numberUnavailable int32;
  observedGeneration int64; updatedNumberScheduled int32
DaemonSetUpdateStrategy: rollingUpdate RollingUpdateDaemonSet; type string
Deployment kind: metadata ObjectMeta; spec DeploymentSpec; status DeploymentStatus
DeploymentCondition: lastTransitionTime date-time; lastUpdateTime date-time; message string; reason string; status! string; type! string
DeploymentSpec: minReadySeconds int32; paused boolean; progressDeadlineSeconds *int32; replicas *int32; revisionHistoryLimit *int32;
  selector! LabelSelector; strategy DeploymentStrategy retainKeys; template! PodTemplateSpec
DeploymentStatus: availableReplicas int32; collisionCount *int32; conditions []DeploymentCondition map=type merge=type;
  observedGeneration int64; readyReplicas int32; replicas int32; terminatingReplicas *int32; unavailableReplicas int32;
  updatedReplicas int32
DeploymentStrategy: rollingUpdate RollingUpdateDeployment; type string
ReplicaSet kind: metadata ObjectMeta; spec ReplicaSetSpec; status ReplicaSetStatus
ReplicaSetCondition: lastTransitionTime date-time; message string; reason string; status! string; type! string
ReplicaSetSpec: minReadySeconds int32; replicas *int32; selector! LabelSelector; template PodTemplateSpec
ReplicaSetStatus: availableReplicas int32; conditions []ReplicaSetCondition map=type merge=type; fullyLabeledReplicas int32;
  observedGeneration int64; readyReplicas int32; replicas! int32; terminatingReplicas *int32
RollingUpdateDaemonSet: maxSurge int-or-string; maxUnavailable int-or-string
RollingUpdateDeployment: maxSurge int-or-string; maxUnavailable int-or-string
RollingUpdateStatefulSetStrategy: maxUnavailable int-or-string; partition *int32
StatefulSet kind: metadata ObjectMeta; spec StatefulSetSpec; status StatefulSetStatus
StatefulSetCondition: lastTransitionTime date-time; message string; reason string; status! string; type! string
StatefulSetOrdinals: start int32
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted string; whenScaled string
StatefulSetSpec: minReadySeconds int32; ordinals StatefulSetOrdinals;
  persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy; podManagementPolicy string; replicas *int32;
  revisionHistoryLimit *int32; selector! LabelSelector; serviceName string; template! PodTemplateSpec;
  updateStrategy StatefulSetUpdateStrategy; volumeClaimTemplates []PersistentVolumeClaim
StatefulSetStatus: availableReplicas int32; collisionCount *int32; conditions []StatefulSetCondition map=type merge=type;
  currentReplicas int32; currentRevision string; observedGeneration int64; readyReplicas int32; replicas! int32; updateRevision string;
  updatedReplicas int32
StatefulSetUpdateStrategy: rollingUpdate RollingUpdateStatefulSetStrategy; type string
package io.k8s.api.autoscaling.v1 autoscaling/v1
CrossVersionObjectReference atomic: apiVersion string; kind! string; name! string
HorizontalPodAutoscaler kind: metadata ObjectMeta; spec! HorizontalPodAutoscalerSpec; status HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec: maxReplicas! int32; minReplicas *int32; scaleTargetRef! CrossVersionObjectReference;
  targetCPUUtilizationPercentage *int32
HorizontalPodAutoscalerStatus: currentCPUUtilizationPercentage *int32; currentReplicas! int32; desiredReplicas! int32;
  lastScaleTime date-time; observedGeneration *int64
Scale kind: metadata ObjectMeta; spec ScaleSpec; status ScaleStatus
ScaleSpec: replicas int32
ScaleStatus: replicas! int32; selector string
package io.k8s.api.autoscaling.v2 autoscaling/v2
ContainerResourceMetricSource: container! string; name! string; target! MetricTarget
ContainerResourceMetricStatus: container! string; current! MetricValueStatus; name! string
CrossVersionObjectReference: apiVersion string; kind! string; name! string
ExternalMetricSource: metric! MetricIdentifier; target! MetricTarget
ExternalMetricStatus: current! MetricValueStatus; metric! MetricIdentifier
HPAScalingPolicy: periodSeconds! int32; type! string; value! int32
HPAScalingRules: policies []HPAScalingPolicy; selectPolicy *string; stabilizationWindowSeconds *int32; tolerance quantity
HorizontalPodAutoscaler kind: metadata ObjectMeta; spec! HorizontalPodAutoscalerSpec; status HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior: scaleDown HPAScalingRules; scaleUp HPAScalingRules
HorizontalPodAutoscalerCondition: lastTransitionTime date-time; message string; reason string; status! string; type! string
HorizontalPodAutoscalerSpec: behavior HorizontalPodAutoscalerBehavior; maxReplicas! int32; metrics []MetricSpec; minReplicas *int32;
  scaleTargetRef! CrossVersionObjectReference
HorizontalPodAutoscalerStatus: conditions []HorizontalPodAutoscalerCondition map=type merge=type; currentMetrics []MetricStatus;
  currentReplicas int32; desiredReplicas! int32; lastScaleTime date-time; observedGeneration *int64
MetricIdentifier: name! string; selector LabelSelector
MetricSpec: containerResource ContainerResourceMetricSource; external ExternalMetricSource; object ObjectMetricSource;
  pods PodsMetricSource; resource ResourceMetricSource; type! string
MetricStatus: containerResource ContainerResourceMetricStatus; external ExternalMetricStatus; object ObjectMetricStatus;
  pods PodsMetricStatus; resource ResourceMetricStatus; type! string
MetricTarget: averageUtilization *int32; averageValue quantity; type! string; value quantity
MetricValueStatus: averageUtilization *int32; averageValue quantity; value quantity
ObjectMetricSource: describedObject! CrossVersionObjectReference; metric! MetricIdentifier; target! MetricTarget
ObjectMetricStatus: current! MetricValueStatus; describedObject! CrossVersionObjectReference; metric! MetricIdentifier
PodsMetricSource: metric! MetricIdentifier; target! MetricTarget
PodsMetricStatus: current! MetricValueStatus; metric! MetricIdentifier
ResourceMetricSource: name! string; target! MetricTarget
ResourceMetricStatus: current! MetricValueStatus; name! string
package io.k8s.api.batch.v1 batch/v1
CronJob kind: metadata ObjectMeta; spec! CronJobSpec; status CronJobStatus
CronJobSpec: concurrencyPolicy string; failedJobsHistoryLimit *int32; jobTemplate! JobTemplateSpec; schedule! string;
  startingDeadlineSeconds *int64; successfulJobsHistoryLimit *int32; suspend *boolean; timeZone *string
CronJobStatus: active []ObjectReference; lastScheduleTime date-time; lastSuccessfulTime date-time
Job kind: metadata ObjectMeta; spec JobSpec; status JobStatus
JobCondition: lastProbeTime date-time; lastTransitionTime date-time; message string; reason string; status! string; type! string
JobSpec: activeDeadlineSeconds *int64; backoffLimit *int32; backoffLimitPerIndex *int32; completionMode *string; completions *int32;
  managedBy *string; manualSelector *boolean; maxFailedIndexes *int32; parallelism *int32; podFailurePolicy PodFailurePolicy;
  podReplacementPolicy *string; selector LabelSelector; successPolicy SuccessPolicy; suspend *boolean; template! PodTemplateSpec;
  ttlSecondsAfterFinished *int32
JobStatus: active int32; completedIndexes string; completionTime date-time; conditions []JobCondition merge=type; failed int32;
  failedIndexes *string; ready *int32; startTime date-time; succeeded int32; terminating *int32;
  uncountedTerminatedPods UncountedTerminatedPods
JobTemplateSpec: metadata ObjectMeta; spec JobSpec
PodFailurePolicy: rules! []PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement: containerName *string; operator! string; values! []int32 set
PodFailurePolicyOnPodConditionsPattern: status string; type! string
PodFailurePolicyRule: action! string; onExitCodes PodFailurePolicyOnExitCodesRequirement;
  onPodConditions []PodFailurePolicyOnPodConditionsPattern
SuccessPolicy: rules! []SuccessPolicyRule
SuccessPolicyRule: succeededCount *int32; succeededIndexes *string
UncountedTerminatedPods: failed []string set; succeeded []string set
package io.k8s.api.policy.v1 policy/v1
Eviction kind: deleteOptions DeleteOptions; metadata ObjectMeta
PodDisruptionBudget kind: metadata ObjectMeta; spec PodDisruptionBudgetSpec; status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: maxUnavailable int-or-string; minAvailable int-or-string; selector LabelSelector replace;
  unhealthyPodEvictionPolicy *string
PodDisruptionBudgetStatus: conditions []Condition map=type merge=type; currentHealthy int32; desiredHealthy int32;
  disruptedPods {}date-time; disruptionsAllowed int32; expectedPods int32; observedGeneration int64
`;
