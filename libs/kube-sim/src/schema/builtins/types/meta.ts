/** What every object carries: metadata, selectors, conditions. Notation: see ../type-table.ts. */
export const metaTypes = `
package io.k8s.apimachinery.pkg.apis.meta.v1
Condition: lastTransitionTime! date-time; message! string; observedGeneration int64; reason! string; status! string; type! string
DeleteOptions: apiVersion string; dryRun []string; gracePeriodSeconds *int64; ignoreStoreReadErrorWithClusterBreakingPotential *boolean;
  kind string; orphanDependents *boolean; preconditions Preconditions; propagationPolicy *string
FieldSelectorRequirement: key! string; operator! string; values []string
LabelSelector atomic: matchExpressions []LabelSelectorRequirement; matchLabels {}string
LabelSelectorRequirement: key! string; operator! string; values []string
ManagedFieldsEntry: apiVersion string; fieldsType string; fieldsV1 object; manager string; operation string; subresource string;
  time date-time
ObjectMeta: annotations {}string; creationTimestamp date-time; deletionGracePeriodSeconds *int64; deletionTimestamp date-time;
  finalizers []string set merge; generateName string; generation int64; labels {}string; managedFields []ManagedFieldsEntry;
  name string; namespace string; ownerReferences []OwnerReference map=uid merge=uid; resourceVersion string; selfLink string; uid string
OwnerReference atomic: apiVersion! string; blockOwnerDeletion *boolean; controller *boolean; kind! string; name! string; uid! string
Preconditions: resourceVersion *string; uid *string
`;
