/** As much of an object as its removal needs. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: PodOwnerSpec;
}

interface PodOwnerSpec {
  readonly template?: { readonly spec?: PodSpec };
}

interface PodSpec {
  readonly containers?: readonly Container[];
  readonly terminationGracePeriodSeconds?: number;
}

interface Container {
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** What was installed, as its removal sees it. */
export interface Installed {
  /** The Deployment that brings targets back: it goes after them. */
  readonly operator: { readonly namespace: string; readonly name: string };
  /** Where its ElastiServices are; none named: everywhere. */
  readonly namespaces: readonly string[];
  /** The Deployments. Their pods go before what they stand on: without permissions a resolver cannot see that it may leave. */
  readonly programs: readonly Manifest[];
  /** All else, the last applied first. */
  readonly objects: readonly Manifest[];
  /** What belongs to the cluster in every variant: whoever administers only some namespaces may not delete it. */
  readonly shared: readonly Manifest[];
  /** They take every ElastiService of the cluster with them, so they go last, and only when there is none. */
  readonly crds: readonly Manifest[];
}

const leastTimeoutSeconds = 720;
/** Between the end of the last process and that of its pod. */
const marginSeconds = 60;
const operatorName = 'elasti-operator-controller-manager';

/** Reads the applied manifests for what they installed. @throws when the operator is not among them */
export function readInstalled(manifests: readonly Manifest[]): Installed {
  const deployment = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === operatorName);
  if (!deployment) throw new Error(`no Deployment ${operatorName} is in the manifests: name all that were applied with -f`);
  const all = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind));
  const apart = ['Deployment', 'PriorityClass', 'Namespace', 'CustomResourceDefinition'];
  return {
    operator: { namespace: deployment.metadata.namespace ?? 'default', name: operatorName },
    namespaces: watchedBy(deployment),
    programs: all('Deployment'),
    objects: manifests.filter(({ kind }) => !apart.includes(kind)).reverse(),
    shared: all('PriorityClass', 'Namespace').reverse(),
    crds: all('CustomResourceDefinition'),
  };
}

/** For whoever names no timeout: pods may take all of their grace to leave, and targets at least as long as they take to start. */
export function defaultTimeoutSeconds({ programs }: Installed): number {
  const graces = programs.map(({ spec }) => spec?.template?.spec?.terminationGracePeriodSeconds ?? 0);
  return Math.max(leastTimeoutSeconds, ...graces.map((seconds) => seconds + marginSeconds));
}

function watchedBy({ spec }: Manifest): string[] {
  const variables = spec?.template?.spec?.containers?.flatMap(({ env = [] }) => env) ?? [];
  const watched = variables.find(({ name }) => name === 'WATCH_NAMESPACES')?.value ?? '';
  return watched
    .split(',')
    .map((namespace) => namespace.trim())
    .filter((namespace) => namespace !== '');
}
