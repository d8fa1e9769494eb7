import { parseGoDuration } from '@elasti/operator-kit/program';
import { operatorLabels, resolverLabels } from '../charts/names';
import { badLabels } from './bad-labels';
import { badPods } from './bad-pods';
import { badResources } from './bad-resources';
import { operatorVariables, resolverVariables } from './variables';
import type { Settings } from './settings';

/** Those with the prefix that Kubernetes keeps for itself. */
const systemClasses = ['system-cluster-critical', 'system-node-critical'];

/** What each field alone cannot tell: every mistake, with the way out. */
export function contradictionsIn(settings: Settings): string[] {
  return [
    ...badDurations(settings),
    ...badVariant(settings),
    ...badPrometheus(settings),
    ...badPods('operator', settings.operator, operatorVariables),
    ...badPods('resolver', settings.resolver, resolverVariables),
    ...badResources(settings),
    ...badLabels(settings),
    ...badRest(settings),
  ];
}

function badDurations({ operator, traffic }: Settings): string[] {
  const durations = {
    'operator.pollingInterval': operator.pollingInterval,
    'traffic.settleTime': traffic.settleTime,
    'traffic.loadBalancerSettleTime': traffic.loadBalancerSettleTime,
    'traffic.handoverGrace': traffic.handoverGrace,
    'traffic.resolverAbsence': traffic.resolverAbsence,
  };
  const wrong = Object.entries(durations).filter(([, text]) => !isDuration(text));
  return wrong.map(([field]) => `${field} must be a Go duration above zero, such as 30s`);
}

function badVariant({ variant, watchNamespaces, wakeAuth }: Settings): string[] {
  if (variant === 'cluster') return [];
  return [
    ...when(watchNamespaces.length === 0, 'watchNamespaces must name the namespaces that a namespaced installation looks after'),
    ...when(
      wakeAuth === 'token-review',
      'wakeAuth: token-review needs a permission of the whole cluster; use shared-secret, or variant: cluster',
    ),
  ];
}

function badPrometheus({ operator: { prometheus } }: Settings): string[] {
  const { serverAddress, authorizationSecret, authorizedOrigins } = prometheus;
  const where = 'operator.prometheus';
  return [
    ...when(
      serverAddress !== undefined && !isBaseUrl(serverAddress),
      `${where}.serverAddress must be a URL that begins with http:// or https://, without query or fragment`,
    ),
    ...when(
      authorizationSecret !== undefined && serverAddress === undefined && authorizedOrigins.length === 0,
      `${where}.authorizationSecret is for nobody: set ${where}.serverAddress or ${where}.authorizedOrigins`,
    ),
    ...authorizedOrigins
      .map((origin, index) => ({ origin, index }))
      .filter(({ origin }) => !isOrigin(origin))
      .map(
        ({ index }) => `${where}.authorizedOrigins[${index}] must be an origin, such as https://prometheus.example:9090, without a path`,
      ),
  ];
}

function badRest({ labels, priorityClass, resolver: { autoscaling } }: Settings): string[] {
  const { name = '', value } = priorityClass;
  return [
    ...Object.keys(labels)
      .filter((label) => Object.hasOwn({ ...operatorLabels, ...resolverLabels }, label))
      .map((label) => `labels.${label} is one of Elasti's own; use another label`),
    ...when(
      value !== undefined && priorityClass.name === undefined,
      'priorityClass.value needs priorityClass.name: what is the new class called?',
    ),
    ...when(
      name.startsWith('system-') && (value !== undefined || !systemClasses.includes(name)),
      `priorityClass.name must not begin with system-: only ${systemClasses.join(' and ')} do, which are there without priorityClass.value`,
    ),
    ...when(
      autoscaling.maxReplicas < autoscaling.minReplicas,
      'resolver.autoscaling.maxReplicas must not be below resolver.autoscaling.minReplicas',
    ),
  ];
}

function when(isWrong: boolean, mistake: string): string[] {
  return isWrong ? [mistake] : [];
}

function isDuration(text: string): boolean {
  try {
    return parseGoDuration(text) > 0;
  } catch {
    return false;
  }
}

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash === '';
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}
