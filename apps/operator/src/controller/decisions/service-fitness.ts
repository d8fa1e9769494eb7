import type { Frozen, Service } from '@elasti/operator-kit';

export type Refusal =
  | 'HeadlessService'
  | 'ExternalNameService'
  | 'ServiceWithoutSelector'
  | 'ServiceWithoutTcpPort'
  | 'PublishesNotReadyAddresses'
  | 'LocalTrafficPolicy'
  | 'ElastiItself';

export type Warning = 'UdpPorts' | 'LoadBalancerKnowsPods' | 'SharedPods' | 'IngressBypassesService';

export interface Finding<Reason extends string> {
  /** For machines, and the reason of the condition. */
  readonly reason: Reason;
  /** For people: what is wrong and the way out. */
  readonly message: string;
}

export interface ServiceFitness {
  /** Any of these: the service is not put to sleep. */
  readonly refusals: readonly Finding<Refusal>[];
  readonly warnings: readonly Finding<Warning>[];
}

export interface ServiceSurroundings {
  /** The target is Elasti's own operator or resolver. */
  readonly isElastiItself: boolean;
  /** Needed where traffic stays on the node it came to. */
  readonly everyNodeHasResolver: boolean;
  /** Other Services of the namespace; those in `spec.additionalServices` are left out by the caller. */
  readonly otherServices: readonly Frozen<Service>[];
  /** Names of Ingresses of ingress-nginx that send to the endpoints they know instead of to the Service. */
  readonly bypassingIngresses: readonly string[];
}

/** Whether a Service can be put to sleep without losing a request: a pure function of what is observed. */
export function decideServiceFitness(service: Frozen<Service>, surroundings: ServiceSurroundings): ServiceFitness {
  return { refusals: findRefusals(service, surroundings), warnings: findWarnings(service, surroundings) };
}

function findRefusals({ spec = {} }: Frozen<Service>, surroundings: ServiceSurroundings): Finding<Refusal>[] {
  const found: Finding<Refusal>[] = [];
  const refuse = (reason: Refusal, message: string) => found.push({ reason, message });

  if (surroundings.isElastiItself)
    refuse('ElastiItself', 'the target is a part of Elasti, which would put itself to sleep: choose another');
  if (spec.type === 'ExternalName')
    refuse('ExternalNameService', 'an ExternalName Service is only a DNS name: no traffic can be redirected; use a ClusterIP Service');
  if (spec.clusterIP === 'None') refuse('HeadlessService', 'clients of a headless Service go straight to the pods: give it a cluster IP');
  if (Object.keys(spec.selector ?? {}).length === 0)
    refuse('ServiceWithoutSelector', 'a Service without a selector has endpoints of its own making: add spec.selector');
  if (!(spec.ports ?? []).some(isTcp)) refuse('ServiceWithoutTcpPort', 'only TCP can be held while a service sleeps: add a TCP port');
  if (spec.publishNotReadyAddresses)
    refuse('PublishesNotReadyAddresses', 'pods that are not ready would get the held requests: remove spec.publishNotReadyAddresses');
  if (spec.internalTrafficPolicy === 'Local' && !surroundings.everyNodeHasResolver)
    refuse(
      'LocalTrafficPolicy',
      'with internalTrafficPolicy Local every node needs a ready resolver: run the resolver on every node, or use Cluster',
    );
  return found;
}

function findWarnings(service: Frozen<Service>, { otherServices, bypassingIngresses }: ServiceSurroundings): Finding<Warning>[] {
  const found: Finding<Warning>[] = [];
  const warn = (reason: Warning, message: string) => found.push({ reason, message });
  const { ports = [], selector } = service.spec ?? {};

  const udp = ports.filter((port) => !isTcp(port)).map(({ name, port }) => name ?? String(port));
  if (udp.length > 0 && ports.some(isTcp))
    warn('UdpPorts', `nothing answers on ${udp.join(', ')} while the service sleeps: only TCP wakes it`);
  const annotation = podTargetAnnotation(service);
  if (annotation)
    warn(
      'LoadBalancerKnowsPods',
      `the load balancer sends straight to the Service's own pods (${annotation}) and cannot wake it: let it target nodes`,
    );
  const sharing = otherServices.filter(
    (other) => other.metadata.name !== service.metadata.name && selectsTheSame(selector, other.spec?.selector),
  );
  if (sharing.length > 0)
    warn(
      'SharedPods',
      `${sharing.map(({ metadata }) => metadata.name).join(', ')} select the same pods and lose them too: name them in spec.additionalServices`,
    );
  if (bypassingIngresses.length > 0 && ports.filter(isTcp).length > 1)
    warn(
      'IngressBypassesService',
      `with several ports, ingress-nginx must send to the Service: set nginx.ingress.kubernetes.io/service-upstream: "true" on ${bypassingIngresses.join(', ')}`,
    );
  return found;
}

function isTcp({ protocol = 'TCP' }: { readonly protocol?: string }): boolean {
  return protocol === 'TCP';
}

/** Two selectors certainly meet when one asks for all that the other asks for. */
export function selectsTheSame(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  const within = (inner: Readonly<Record<string, string>>, outer: Readonly<Record<string, string>>) =>
    Object.keys(inner).length > 0 && Object.entries(inner).every(([key, value]) => outer[key] === value);
  return within(a, b) || within(b, a);
}

/** Tells a load balancer to register pod addresses from the Service's selector rather than from its endpoints. */
interface PodTargeting {
  readonly annotation: string;
  readonly value: RegExp;
  /** Of one type only: on others it is left over, and nobody reads it. */
  readonly type?: string;
}

const podTargetings: readonly PodTargeting[] = [
  { annotation: 'service.beta.kubernetes.io/aws-load-balancer-nlb-target-type', value: /^ip$/, type: 'LoadBalancer' },
  { annotation: 'service.beta.kubernetes.io/aws-load-balancer-type', value: /^nlb-ip$/, type: 'LoadBalancer' },
  // The load balancer is an Ingress's or somebody's own, so the Service is mostly a ClusterIP one.
  { annotation: 'cloud.google.com/neg', value: /"ingress"\s*:\s*true|"exposed_ports"/ },
];

function podTargetAnnotation({ metadata, spec }: Frozen<Service>): string | undefined {
  const isMeant = ({ annotation, value, type }: PodTargeting) =>
    (type === undefined || type === spec?.type) && value.test(metadata.annotations?.[annotation] ?? '');
  return podTargetings.find(isMeant)?.annotation;
}
