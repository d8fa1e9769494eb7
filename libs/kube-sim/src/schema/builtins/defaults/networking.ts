import { get, isList, listAt, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { each, existing, fill, inner, isAbsent } from './fill';

export function fillService(service: JsonObject): void {
  const spec = inner(service, 'spec');
  fill(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
  const type = textAt(spec, 'type');
  if (textAt(spec, 'sessionAffinity') === 'ClientIP')
    fill(inner(inner(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10800 });
  each(spec, 'ports', (port) => {
    fill(port, { protocol: 'TCP' });
    const number = get(port, 'port');
    if (number !== undefined && (isAbsent(get(port, 'targetPort')) || port.targetPort === 0)) port.targetPort = number;
  });
  if (type === 'NodePort' || type === 'LoadBalancer') fill(spec, { externalTrafficPolicy: 'Cluster' });
  if (type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
  if (type !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' });
  fill(inner(service, 'status'), { loadBalancer: {} });
}

export function fillEndpoints(endpoints: JsonObject): void {
  each(endpoints, 'subsets', (subset) => each(subset, 'ports', (port) => fill(port, { protocol: 'TCP' })));
}

export function fillEndpointSlice(slice: JsonObject): void {
  each(slice, 'ports', (port) => fill(port, { name: '', protocol: 'TCP' }));
  // The server writes both, also when there is nothing in them, and its storage does not tell an empty list from none.
  for (const key of ['endpoints', 'ports']) {
    const found = get(slice, key);
    if (found === undefined || (isList(found) && found.length === 0)) slice[key] = null;
  }
}

export function fillIngress(ingress: JsonObject): void {
  fill(inner(ingress, 'status'), { loadBalancer: {} });
}

export function fillNetworkPolicy(policy: JsonObject): void {
  const spec = inner(policy, 'spec');
  for (const direction of ['ingress', 'egress']) {
    each(spec, direction, (rule) => each(rule, 'ports', (port) => fill(port, { protocol: 'TCP' })));
  }
  fill(spec, { policyTypes: listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'] });
}

export function fillWebhooks(configuration: JsonObject): void {
  const isMutating = textAt(configuration, 'kind') === 'MutatingWebhookConfiguration';
  each(configuration, 'webhooks', (webhook) => {
    fill(webhook, { failurePolicy: 'Fail', matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {}, timeoutSeconds: 10 });
    if (isMutating) fill(webhook, { reinvocationPolicy: 'Never' });
    existing(webhook, 'clientConfig', (client) => existing(client, 'service', (service) => fill(service, { port: 443 })));
    each(webhook, 'rules', (rule) => fill(rule, { scope: '*' }));
  });
}
