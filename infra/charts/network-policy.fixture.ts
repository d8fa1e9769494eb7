import { BlockList, isIPv6 } from 'node:net';
import type { Manifest } from './manifest.fixture';

type Labels = Readonly<Record<string, string>>;

export interface PodEnd {
  readonly namespace: string;
  readonly labels: Labels;
}

/** A pod, or whatever has an address and is none. */
export type End = PodEnd | { readonly ip: string };

export interface Flow {
  readonly from: End;
  readonly to: End;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP';
}

interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values: readonly string[] }[];
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string };
}

interface PolicyPort {
  readonly port?: number;
  readonly endPort?: number;
  readonly protocol: string;
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly PolicyPort[];
}

interface Policy {
  readonly namespace: string;
  readonly podSelector: Selector;
  readonly ingress: readonly Rule[];
  readonly egress: readonly Rule[];
}

/**
 * NetworkPolicies as a data plane reads them: a pod that a policy selects takes part only in what some policy allows, and both ends must agree.
 *
 * Namespaces have no labels but their names, as Kubernetes gives them.
 */
export class PolicyEvaluator {
  private readonly policies: readonly Policy[];

  constructor(manifests: readonly Manifest[]) {
    this.policies = manifests
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ metadata, spec }) => ({ ...(spec as unknown as Omit<Policy, 'namespace'>), namespace: metadata.namespace ?? '' }));
  }

  isAllowed(flow: Flow): boolean {
    return this.agrees('egress', flow.from, flow.to, flow) && this.agrees('ingress', flow.to, flow.from, flow);
  }

  private agrees(direction: 'egress' | 'ingress', end: End, other: End, flow: Flow): boolean {
    if ('ip' in end) return true;
    const policies = this.policies.filter(({ namespace, podSelector }) => namespace === end.namespace && selects(podSelector, end.labels));
    if (policies.length === 0) return true;
    return policies.some((policy) =>
      policy[direction].some((rule) => allowsPort(rule, flow) && allowsPeer(direction === 'egress' ? rule.to : rule.from, policy, other)),
    );
  }
}

function allowsPort({ ports }: Rule, { port, protocol = 'TCP' }: Flow): boolean {
  return !ports?.length || ports.some((one) => one.protocol === protocol && holds(one, port));
}

/** Without a number it is every port of its protocol. */
function holds({ port: first, endPort }: PolicyPort, port: number): boolean {
  return first === undefined || (port >= first && port <= (endPort ?? first));
}

function allowsPeer(peers: readonly Peer[] | undefined, policy: Policy, other: End): boolean {
  if (!peers?.length) return true;
  return peers.some(({ ipBlock, namespaceSelector, podSelector }) => {
    if (ipBlock) return 'ip' in other && contains(ipBlock.cidr, other.ip);
    if ('ip' in other) return false;
    const isThere = namespaceSelector
      ? selects(namespaceSelector, { 'kubernetes.io/metadata.name': other.namespace })
      : other.namespace === policy.namespace;
    return isThere && selects(podSelector ?? {}, other.labels);
  });
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  const hasAll = Object.entries(matchLabels).every(([label, value]) => labels[label] === value);
  return (
    hasAll &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`this evaluator does not know ${operator}`);
      return values.includes(labels[key] ?? '');
    })
  );
}

function contains(cidr: string, ip: string): boolean {
  const [network = '', bits = ''] = cidr.split('/');
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}
