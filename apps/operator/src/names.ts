// Names that several rooms share, and that clusters know us by.

export const finalizerName = 'elasti.truefoundry.com/finalizer';
/** Of every write, so that `kubectl get --show-managed-fields` and the search for who scaled a target tell us apart from others. */
export const fieldManager = 'elasti-operator';
/** In `endpointslice.kubernetes.io/managed-by` of the slices that name resolvers. */
export const sliceManager = 'elasti';
/** On the private Service, and by Kubernetes' own doing on its EndpointSlices: one watch limited by it sees just them. */
export const privateServiceLabel = 'elasti.truefoundry.com/private-service-of';
/** On a Service: on which of its ports the server speaks first. */
export const protocolAnnotation = 'elasti.truefoundry.com/protocol';
/** The same that KubeElasti holds, so that old and new never lead at once. */
export const leaseName = 'acf50383.truefoundry.io';
/** On our slices: `proxy` or `standby`. */
export const sliceRoleLabel = 'elasti.truefoundry.com/slice-role';
