/** The collections that controllers and kubelets work on. */
export const PODS = '/pods';
export const NODES = '/nodes';
export const SERVICES = '/services';
export const CLAIMS = '/persistentvolumeclaims';
export const DEPLOYMENTS = 'apps/deployments';
export const REPLICA_SETS = 'apps/replicasets';
export const STATEFUL_SETS = 'apps/statefulsets';
export const ENDPOINT_SLICES = 'discovery.k8s.io/endpointslices';
