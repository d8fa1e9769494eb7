/** Where operator and resolver run, as in a cluster. */
export const installationNamespace = 'elasti';
/** Where the services run that sleep and wake. */
export const demoNamespace = 'demo';

export const operatorName = 'elasti-operator-controller-manager';
export const operatorServiceName = 'elasti-operator-controller-service';
export const resolverName = 'elasti-resolver';
export const resolverServiceName = 'elasti-resolver-service';
