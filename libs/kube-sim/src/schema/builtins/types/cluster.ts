/** Leases, endpoint slices, events, networking, access control and the other small groups. Notation: see ../type-table.ts. */
export const clusterTypes = `
package io.k8s.api.authentication.v1 authentication.k8s.io/v1
BoundObjectReference: apiVersion string; kind string; name string; uid string
TokenRequest kind: metadata ObjectMeta; spec TokenRequestSpec; status TokenRequestStatus
TokenRequestSpec: audiences []string; boundObjectRef BoundObjectReference; expirationSeconds *int64
TokenRequestStatus: expirationTimestamp date-time; token string
TokenReview kind: metadata ObjectMeta; spec! TokenReviewSpec; status TokenReviewStatus
TokenReviewSpec: audiences []string; token! string
TokenReviewStatus: audiences []string; authenticated boolean; error string; user UserInfo
UserInfo: extra {}[]string; groups []string; uid string; username string
package io.k8s.api.authorization.v1 authorization.k8s.io/v1
FieldSelectorAttributes: rawSelector string; requirements []FieldSelectorRequirement
LabelSelectorAttributes: rawSelector string; requirements []LabelSelectorRequirement
NonResourceAttributes: path string; verb string
ResourceAttributes: fieldSelector FieldSelectorAttributes; group string; labelSelector LabelSelectorAttributes; name string;
  namespace string; resource string; subresource string; verb string; version string
SelfSubjectAccessReview kind: metadata ObjectMeta; spec! SelfSubjectAccessReviewSpec; status SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec: nonResourceAttributes NonResourceAttributes; resourceAttributes ResourceAttributes
SubjectAccessReview kind: metadata ObjectMeta; spec! SubjectAccessReviewSpec; status SubjectAccessReviewStatus
SubjectAccessReviewSpec: extra {}[]string; groups []string; nonResourceAttributes NonResourceAttributes;
  resourceAttributes ResourceAttributes; uid string; user string
SubjectAccessReviewStatus: allowed! boolean; denied boolean; evaluationError string; reason string
package io.k8s.api.coordination.v1 coordination.k8s.io/v1
Lease kind: metadata ObjectMeta; spec LeaseSpec
LeaseSpec: acquireTime micro-time; holderIdentity *string; leaseDurationSeconds *int32; leaseTransitions *int32;
  preferredHolder *string; renewTime micro-time; strategy *string
package io.k8s.api.discovery.v1 discovery.k8s.io/v1
Endpoint: addresses! []string set; conditions EndpointConditions; deprecatedTopology {}string; hints EndpointHints; hostname *string;
  nodeName *string; targetRef ObjectReference; zone *string
EndpointConditions: ready *boolean; serving *boolean; terminating *boolean
EndpointHints: forNodes []ForNode; forZones []ForZone
EndpointPort atomic: appProtocol *string; name *string; port *int32; protocol *string
EndpointSlice kind: addressType! string; endpoints []Endpoint; metadata ObjectMeta; ports []EndpointPort
ForNode: name! string
ForZone: name! string
package io.k8s.api.events.v1 events.k8s.io/v1
Event kind: action string; deprecatedCount int32; deprecatedFirstTimestamp date-time; deprecatedLastTimestamp date-time;
  deprecatedSource EventSource; eventTime! micro-time; metadata ObjectMeta; note string; reason string; regarding ObjectReference;
  related ObjectReference; reportingController string; reportingInstance string; series EventSeries; type string
EventSeries: count! int32; lastObservedTime! micro-time
package io.k8s.api.networking.v1 networking.k8s.io/v1
HTTPIngressPath: backend! IngressBackend; path string; pathType! *string
HTTPIngressRuleValue: paths! []HTTPIngressPath
IPBlock: cidr! string; except []string
Ingress kind: metadata ObjectMeta; spec IngressSpec; status IngressStatus
IngressBackend: resource TypedLocalObjectReference; service IngressServiceBackend
IngressClass kind: metadata ObjectMeta; spec IngressClassSpec
IngressClassParametersReference: apiGroup *string; kind! string; name! string; namespace *string; scope *string
IngressClassSpec: controller string; parameters IngressClassParametersReference
IngressLoadBalancerIngress: hostname string; ip string; ports []IngressPortStatus
IngressLoadBalancerStatus: ingress []IngressLoadBalancerIngress
IngressPortStatus: error *string; port! int32; protocol! string
IngressRule: host string; http HTTPIngressRuleValue
IngressServiceBackend: name! string; port ServiceBackendPort
IngressSpec: defaultBackend IngressBackend; ingressClassName *string; rules []IngressRule; tls []IngressTLS
IngressStatus: loadBalancer IngressLoadBalancerStatus
IngressTLS: hosts []string; secretName string
NetworkPolicy kind: metadata ObjectMeta; spec NetworkPolicySpec
NetworkPolicyEgressRule: ports []NetworkPolicyPort; to []NetworkPolicyPeer
NetworkPolicyIngressRule: from []NetworkPolicyPeer; ports []NetworkPolicyPort
NetworkPolicyPeer: ipBlock IPBlock; namespaceSelector LabelSelector; podSelector LabelSelector
NetworkPolicyPort: endPort *int32; port int-or-string; protocol *string
NetworkPolicySpec: egress []NetworkPolicyEgressRule; ingress []NetworkPolicyIngressRule; podSelector LabelSelector; policyTypes []string
ServiceBackendPort atomic: name string; number int32
package io.k8s.api.rbac.v1 rbac.authorization.k8s.io/v1
AggregationRule: clusterRoleSelectors []LabelSelector
ClusterRole kind: aggregationRule AggregationRule; metadata ObjectMeta; rules []PolicyRule
ClusterRoleBinding kind: metadata ObjectMeta; roleRef! RoleRef; subjects []Subject
PolicyRule: apiGroups []string; nonResourceURLs []string; resourceNames []string; resources []string; verbs! []string
Role kind: metadata ObjectMeta; rules []PolicyRule
RoleBinding kind: metadata ObjectMeta; roleRef! RoleRef; subjects []Subject
RoleRef atomic: apiGroup string; kind! string; name! string
Subject atomic: apiGroup string; kind! string; name! string; namespace string
package io.k8s.api.scheduling.v1 scheduling.k8s.io/v1
PriorityClass kind: description string; globalDefault boolean; metadata ObjectMeta; preemptionPolicy *string; value int32
package io.k8s.api.storage.v1 storage.k8s.io/v1
StorageClass kind: allowVolumeExpansion *boolean; allowedTopologies []TopologySelectorTerm; metadata ObjectMeta; mountOptions []string;
  parameters {}string; provisioner! string; reclaimPolicy *string; volumeBindingMode *string
`;
