/** A name of one label, as namespaces have. */
export const labelPattern = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
/** A name with dots, as most kinds have. */
export const namePattern = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
/** A key of a Secret. */
export const keyPattern = '^[-._a-zA-Z0-9]+$';
/** `50m`, `0.5`, `128Mi`, `1e3`. */
export const quantityPattern = '^[0-9]+(\\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi|E|Ei|e[0-9]+)?$';
