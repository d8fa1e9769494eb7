/** The rest of the core group, and the references that many kinds share. Notation: see ../type-table.ts. */
export const coreTypes = `
package io.k8s.api.core.v1 v1
AttachedVolume: devicePath! string; name! string
Binding kind: metadata ObjectMeta; target! ObjectReference
ClientIPConfig: timeoutSeconds *int32
ConfigMap kind: binaryData {}byte; data {}string; immutable *boolean; metadata ObjectMeta
ConfigMapNodeConfigSource: kubeletConfigKey! string; name! string; namespace! string; resourceVersion string; uid string
ContainerImage: names []string; sizeBytes int64
DaemonEndpoint: Port! int32
EndpointAddress atomic: hostname string; ip! string; nodeName *string; targetRef ObjectReference
EndpointPort atomic: appProtocol *string; name string; port! int32; protocol string
EndpointSubset: addresses []EndpointAddress; notReadyAddresses []EndpointAddress; ports []EndpointPort
Endpoints kind: metadata ObjectMeta; subsets []EndpointSubset
Event kind: action string; count int32; eventTime micro-time; firstTimestamp date-time; involvedObject! ObjectReference;
  lastTimestamp date-time; message string; metadata! ObjectMeta; reason string; related ObjectReference; reportingComponent string;
  reportingInstance string; series EventSeries; source EventSource; type string
EventSeries: count int32; lastObservedTime micro-time
EventSource: component string; host string
LimitRange kind: metadata ObjectMeta; spec LimitRangeSpec
LimitRangeItem: default {}quantity; defaultRequest {}quantity; max {}quantity; maxLimitRequestRatio {}quantity; min {}quantity;
  type! string
LimitRangeSpec: limits! []LimitRangeItem
LoadBalancerIngress: hostname string; ip string; ipMode *string; ports []PortStatus
LoadBalancerStatus: ingress []LoadBalancerIngress
LocalObjectReference atomic: name string
ModifyVolumeStatus: status! string; targetVolumeAttributesClassName string
Namespace kind: metadata ObjectMeta; spec NamespaceSpec; status NamespaceStatus
NamespaceCondition: lastTransitionTime date-time; message string; reason string; status! string; type! string
NamespaceSpec: finalizers []string
NamespaceStatus: conditions []NamespaceCondition map=type merge=type; phase string
Node kind: metadata ObjectMeta; spec NodeSpec; status NodeStatus
NodeAddress: address! string; type! string
NodeCondition: lastHeartbeatTime date-time; lastTransitionTime date-time; message string; reason string; status! string; type! string
NodeConfigSource: configMap ConfigMapNodeConfigSource
NodeConfigStatus: active NodeConfigSource; assigned NodeConfigSource; error string; lastKnownGood NodeConfigSource
NodeDaemonEndpoints: kubeletEndpoint DaemonEndpoint
NodeFeatures: supplementalGroupsPolicy *boolean
NodeRuntimeHandler: features NodeRuntimeHandlerFeatures; name string
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts *boolean; userNamespaces *boolean
NodeSelector atomic: nodeSelectorTerms! []NodeSelectorTerm
NodeSelectorRequirement: key! string; operator! string; values []string
NodeSelectorTerm atomic: matchExpressions []NodeSelectorRequirement; matchFields []NodeSelectorRequirement
NodeSpec: configSource NodeConfigSource; externalID string; podCIDR string; podCIDRs []string set merge; providerID string;
  taints []Taint; unschedulable boolean
NodeStatus: addresses []NodeAddress map=type merge=type; allocatable {}quantity; capacity {}quantity;
  conditions []NodeCondition map=type merge=type; config NodeConfigStatus; daemonEndpoints NodeDaemonEndpoints;
  declaredFeatures []string; features NodeFeatures; images []ContainerImage; nodeInfo NodeSystemInfo; phase string;
  runtimeHandlers []NodeRuntimeHandler; volumesAttached []AttachedVolume; volumesInUse []string
NodeSwapStatus: capacity *int64
NodeSystemInfo: architecture! string; bootID! string; containerRuntimeVersion! string; kernelVersion! string; kubeProxyVersion! string;
  kubeletVersion! string; machineID! string; operatingSystem! string; osImage! string; swap NodeSwapStatus; systemUUID! string
ObjectReference atomic: apiVersion string; fieldPath string; kind string; name string; namespace string; resourceVersion string;
  uid string
PersistentVolumeClaim kind: metadata ObjectMeta; spec PersistentVolumeClaimSpec; status PersistentVolumeClaimStatus
PersistentVolumeClaimCondition: lastProbeTime date-time; lastTransitionTime date-time; message string; reason string; status! string;
  type! string
PersistentVolumeClaimStatus: accessModes []string; allocatedResourceStatuses {}string; allocatedResources {}quantity;
  capacity {}quantity; conditions []PersistentVolumeClaimCondition map=type merge=type; currentVolumeAttributesClassName *string;
  modifyVolumeStatus ModifyVolumeStatus; phase string
PodTemplateSpec: metadata ObjectMeta; spec PodSpec
PortStatus: error *string; port! int32; protocol! string
ReplicationController kind: metadata ObjectMeta; spec ReplicationControllerSpec; status ReplicationControllerStatus
ReplicationControllerCondition: lastTransitionTime date-time; message string; reason string; status! string; type! string
ReplicationControllerSpec: minReadySeconds int32; replicas *int32; selector {}string atomic; template PodTemplateSpec
ReplicationControllerStatus: availableReplicas int32; conditions []ReplicationControllerCondition map=type merge=type;
  fullyLabeledReplicas int32; observedGeneration int64; readyReplicas int32; replicas! int32
ResourceQuota kind: metadata ObjectMeta; spec ResourceQuotaSpec; status ResourceQuotaStatus
ResourceQuotaSpec: hard {}quantity; scopeSelector ScopeSelector; scopes []string
ResourceQuotaStatus: hard {}quantity; used {}quantity
ScopeSelector atomic: matchExpressions []ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement: operator! string; scopeName! string; values []string
Secret kind: data {}byte; immutable *boolean; metadata ObjectMeta; stringData {}string; type string
SecretReference atomic: name string; namespace string
Service kind: metadata ObjectMeta; spec ServiceSpec; status ServiceStatus
ServiceAccount kind: automountServiceAccountToken *boolean; imagePullSecrets []LocalObjectReference; metadata ObjectMeta;
  secrets []ObjectReference map=name merge=name
ServicePort: appProtocol *string; name string; nodePort int32; port! int32; protocol string default=TCP; targetPort int-or-string
ServiceSpec: allocateLoadBalancerNodePorts *boolean; clusterIP string; clusterIPs []string; externalIPs []string; externalName string;
  externalTrafficPolicy string; healthCheckNodePort int32; internalTrafficPolicy *string; ipFamilies []string; ipFamilyPolicy *string;
  loadBalancerClass *string; loadBalancerIP string; loadBalancerSourceRanges []string; ports []ServicePort map=port,protocol merge=port;
  publishNotReadyAddresses boolean; selector {}string atomic; sessionAffinity string; sessionAffinityConfig SessionAffinityConfig;
  trafficDistribution *string; type string
ServiceStatus: conditions []Condition map=type merge=type; loadBalancer LoadBalancerStatus
SessionAffinityConfig: clientIP ClientIPConfig
Taint: effect! string; key! string; timeAdded date-time; value string
TopologySelectorLabelRequirement: key! string; values! []string
TopologySelectorTerm atomic: matchLabelExpressions []TopologySelectorLabelRequirement
TypedLocalObjectReference atomic: apiGroup *string; kind! string; name! string
TypedObjectReference: apiGroup *string; kind! string; name! string; namespace *string
VolumeResourceRequirements: limits {}quantity; requests {}quantity
`;
