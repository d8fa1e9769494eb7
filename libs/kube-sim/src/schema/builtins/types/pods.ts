/** Pods and what their specs and statuses are made of. Notation: see ../type-table.ts. */
export const corePodTypes = `
package io.k8s.api.core.v1 v1
Affinity: nodeAffinity NodeAffinity; podAffinity PodAffinity; podAntiAffinity PodAntiAffinity
AppArmorProfile: localhostProfile *string; type! string
Capabilities: add []string; drop []string
ConfigMapEnvSource: name string; optional *boolean
ConfigMapKeySelector atomic: key! string; name string; optional *boolean
Container: args []string; command []string; env []EnvVar map=name merge=name; envFrom []EnvFromSource; image string;
  imagePullPolicy string; lifecycle Lifecycle; livenessProbe Probe; name! string;
  ports []ContainerPort map=containerPort,protocol merge=containerPort; readinessProbe Probe; resizePolicy []ContainerResizePolicy;
  resources ResourceRequirements; restartPolicy *string; restartPolicyRules []ContainerRestartRule; securityContext SecurityContext;
  startupProbe Probe; stdin boolean; stdinOnce boolean; terminationMessagePath string; terminationMessagePolicy string; tty boolean;
  volumeDevices []VolumeDevice map=devicePath merge=devicePath; volumeMounts []VolumeMount map=mountPath merge=mountPath;
  workingDir string
ContainerExtendedResourceRequest: containerName! string; requestName! string; resourceName! string
ContainerPort: containerPort! int32; hostIP string; hostPort int32; name string; protocol string default=TCP
ContainerResizePolicy: resourceName! string; restartPolicy! string
ContainerRestartRule: action! string; exitCodes ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator! string; values []int32 set
ContainerState: running ContainerStateRunning; terminated ContainerStateTerminated; waiting ContainerStateWaiting
ContainerStateRunning: startedAt date-time
ContainerStateTerminated: containerID string; exitCode! int32; finishedAt date-time; message string; reason string; signal int32;
  startedAt date-time
ContainerStateWaiting: message string; reason string
ContainerStatus: allocatedResources {}quantity; allocatedResourcesStatus []ResourceStatus map=name merge=name; containerID string;
  image! string; imageID! string; lastState ContainerState; name! string; ready! boolean; resources ResourceRequirements;
  restartCount! int32; started *boolean; state ContainerState; stopSignal *string; user ContainerUser;
  volumeMounts []VolumeMountStatus map=mountPath merge=mountPath
ContainerUser: linux LinuxContainerUser
EnvFromSource: configMapRef ConfigMapEnvSource; prefix string; secretRef SecretEnvSource
EnvVar: name! string; value string; valueFrom EnvVarSource
EnvVarSource: configMapKeyRef ConfigMapKeySelector; fieldRef ObjectFieldSelector; fileKeyRef FileKeySelector;
  resourceFieldRef ResourceFieldSelector; secretKeyRef SecretKeySelector
EphemeralContainer: args []string; command []string; env []EnvVar map=name merge=name; envFrom []EnvFromSource; image string;
  imagePullPolicy string; lifecycle Lifecycle; livenessProbe Probe; name! string;
  ports []ContainerPort map=containerPort,protocol merge=containerPort; readinessProbe Probe; resizePolicy []ContainerResizePolicy;
  resources ResourceRequirements; restartPolicy string; restartPolicyRules []ContainerRestartRule; securityContext SecurityContext;
  startupProbe Probe; stdin boolean; stdinOnce boolean; targetContainerName string; terminationMessagePath string;
  terminationMessagePolicy string; tty boolean; volumeDevices []VolumeDevice map=devicePath merge=devicePath;
  volumeMounts []VolumeMount map=mountPath merge=mountPath; workingDir string
ExecAction: command []string
FileKeySelector atomic: key! string; optional *boolean; path! string; volumeName! string
GRPCAction: port! int32; service *string
HTTPGetAction: host string; httpHeaders []HTTPHeader; path string; port! int-or-string; scheme string
HTTPHeader: name! string; value! string
HostAlias: hostnames []string; ip! string
HostIP: ip! string
ImageVolumeStatus: imageRef! string
Lifecycle: postStart LifecycleHandler; preStop LifecycleHandler; stopSignal *string
LifecycleHandler: exec ExecAction; httpGet HTTPGetAction; sleep SleepAction; tcpSocket TCPSocketAction
LinuxContainerUser: gid! int64; supplementalGroups []int64; uid! int64
NodeAffinity: preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm;
  requiredDuringSchedulingIgnoredDuringExecution NodeSelector
NodeAllocatableResourceClaimStatus: containers []string set; resourceClaimName! string; resources! {}quantity
Pod kind: metadata ObjectMeta; spec PodSpec; status PodStatus
PodAffinity: preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm;
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm
PodAffinityTerm: labelSelector LabelSelector; matchLabelKeys []string; mismatchLabelKeys []string; namespaceSelector LabelSelector;
  namespaces []string; topologyKey! string
PodAntiAffinity: preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm;
  requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm
PodCondition: lastProbeTime date-time; lastTransitionTime date-time; message string; observedGeneration int64; reason string;
  status! string; type! string
PodDNSConfig: nameservers []string; options []PodDNSConfigOption; searches []string
PodDNSConfigOption: name string; value *string
PodExtendedResourceClaimStatus: requestMappings! []ContainerExtendedResourceRequest; resourceClaimName! string
PodIP: ip! string
PodOS: name! string
PodReadinessGate: conditionType! string
PodResourceClaim: name! string; resourceClaimName *string; resourceClaimTemplateName *string
PodResourceClaimStatus: name! string; resourceClaimName *string
PodSchedulingGate: name! string
PodSchedulingGroup: podGroupName *string
PodSecurityContext: appArmorProfile AppArmorProfile; fsGroup *int64; fsGroupChangePolicy *string; runAsGroup *int64;
  runAsNonRoot *boolean; runAsUser *int64; seLinuxChangePolicy *string; seLinuxOptions SELinuxOptions; seccompProfile SeccompProfile;
  supplementalGroups []int64; supplementalGroupsPolicy *string; sysctls []Sysctl; windowsOptions WindowsSecurityContextOptions
PodSpec: activeDeadlineSeconds *int64; affinity Affinity; automountServiceAccountToken *boolean;
  containers! []Container map=name merge=name; dnsConfig PodDNSConfig; dnsPolicy string; enableServiceLinks *boolean;
  ephemeralContainers []EphemeralContainer map=name merge=name; hostAliases []HostAlias map=ip merge=ip; hostIPC boolean;
  hostNetwork boolean; hostPID boolean; hostUsers *boolean; hostname string; hostnameOverride *string;
  imagePullSecrets []LocalObjectReference map=name merge=name; initContainers []Container map=name merge=name; nodeName string;
  nodeSelector {}string atomic; os PodOS; overhead {}quantity; preemptionPolicy *string; priority *int32; priorityClassName string;
  readinessGates []PodReadinessGate; resourceClaims []PodResourceClaim map=name merge=name retainKeys; resources ResourceRequirements;
  restartPolicy string; runtimeClassName *string; schedulerName string; schedulingGates []PodSchedulingGate map=name merge=name;
  schedulingGroup PodSchedulingGroup; securityContext PodSecurityContext; serviceAccount string; serviceAccountName string;
  setHostnameAsFQDN *boolean; shareProcessNamespace *boolean; subdomain string; terminationGracePeriodSeconds *int64;
  tolerations []Toleration; topologySpreadConstraints []TopologySpreadConstraint map=topologyKey,whenUnsatisfiable merge=topologyKey;
  volumes []Volume map=name merge=name retainKeys
PodStatus: allocatedResources {}quantity; conditions []PodCondition map=type merge=type; containerStatuses []ContainerStatus;
  ephemeralContainerStatuses []ContainerStatus; extendedResourceClaimStatus PodExtendedResourceClaimStatus; hostIP string;
  hostIPs []HostIP merge=ip; initContainerStatuses []ContainerStatus; message string;
  nodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus; nominatedNodeName string; observedGeneration int64;
  phase string; podIP string; podIPs []PodIP map=ip merge=ip; qosClass string; reason string; resize string;
  resourceClaimStatuses []PodResourceClaimStatus map=name merge=name retainKeys; resources ResourceRequirements; startTime date-time
PreferredSchedulingTerm: preference! NodeSelectorTerm; weight! int32
Probe: exec ExecAction; failureThreshold int32; grpc GRPCAction; httpGet HTTPGetAction; initialDelaySeconds int32; periodSeconds int32;
  successThreshold int32; tcpSocket TCPSocketAction; terminationGracePeriodSeconds *int64; timeoutSeconds int32
ResourceClaim: name! string; request string
ResourceHealth: health string; message *string; resourceID! string
ResourceRequirements: claims []ResourceClaim map=name; limits {}quantity; requests {}quantity
ResourceStatus: name! string; resources []ResourceHealth map=resourceID
SELinuxOptions: level string; role string; type string; user string
SeccompProfile: localhostProfile *string; type! string
SecretEnvSource: name string; optional *boolean
SecretKeySelector atomic: key! string; name string; optional *boolean
SecurityContext: allowPrivilegeEscalation *boolean; appArmorProfile AppArmorProfile; capabilities Capabilities; privileged *boolean;
  procMount *string; readOnlyRootFilesystem *boolean; runAsGroup *int64; runAsNonRoot *boolean; runAsUser *int64;
  seLinuxOptions SELinuxOptions; seccompProfile SeccompProfile; windowsOptions WindowsSecurityContextOptions
SleepAction: seconds! int64
Sysctl: name! string; value! string
TCPSocketAction: host string; port! int-or-string
Toleration: effect string; key string; operator string; tolerationSeconds *int64; value string
TopologySpreadConstraint: labelSelector LabelSelector; matchLabelKeys []string; maxSkew! int32; minDomains *int32;
  nodeAffinityPolicy *string; nodeTaintsPolicy *string; topologyKey! string; whenUnsatisfiable! string
VolumeDevice: devicePath! string; name! string
VolumeMount: mountPath! string; mountPropagation *string; name! string; readOnly boolean; recursiveReadOnly *string; subPath string;
  subPathExpr string
VolumeMountStatus: mountPath! string; name! string; readOnly boolean; recursiveReadOnly *string; volumeStatus VolumeStatus
VolumeStatus: image ImageVolumeStatus
WeightedPodAffinityTerm: podAffinityTerm! PodAffinityTerm; weight! int32
WindowsSecurityContextOptions: gmsaCredentialSpec *string; gmsaCredentialSpecName *string; hostProcess *boolean; runAsUserName *string
`;
