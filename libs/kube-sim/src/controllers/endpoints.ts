import { isIPv6 } from 'node:net';
import { type JsonObject, type StoredObject, asArray, asObject, asString } from '../store';
import { hasEnded, isReady, isTerminating } from './pod-state';
import { specOf, statusOf } from './workload-object';

/** Where the container ports of a pod really are, when they are elsewhere than they are called. */
export const PORTS_ANNOTATION = 'kube-sim/ports';

export type AddressFamily = 'IPv4' | 'IPv6';

/** The pod as an endpoint of the Service, or undefined when it has no address of the family or has come to its end. */
export function buildEndpoint(service: StoredObject, pod: StoredObject, family: AddressFamily, zone: string): JsonObject | undefined {
  const address = addressOf(pod, family);
  if (address === '' || hasEnded(pod)) return undefined;
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const ready = specOf(service).publishNotReadyAddresses === true || (serving && !terminating);
  const { hostname, subdomain, nodeName } = specOf(pod);
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(asString(hostname) !== '' && subdomain === service.name ? { hostname: asString(hostname) } : {}),
    ...(asString(nodeName) === '' ? {} : { nodeName: asString(nodeName) }),
    ...(zone === '' ? {} : { zone }),
    targetRef: { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid },
  };
}

function addressOf(pod: StoredObject, family: AddressFamily): string {
  const addresses = asArray(statusOf(pod).podIPs).map((entry) => asString(asObject(entry).ip));
  return addresses.find((address) => address !== '' && isIPv6(address) === (family === 'IPv6')) ?? '';
}

/** The Service's ports as this pod has them; a named target port that no container of the pod has is left out. */
export function portsOn(service: StoredObject, pod: StoredObject): JsonObject[] {
  return asArray(specOf(service).ports)
    .map(asObject)
    .flatMap((port) => {
      const protocol = asString(port.protocol) || 'TCP';
      const called = targetPort(pod, port, protocol);
      if (called === undefined) return [];
      const number = realPort(pod, called);
      const appProtocol: JsonObject = port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol };
      return [{ name: asString(port.name), port: number, protocol, ...appProtocol }];
    });
}

function realPort(pod: StoredObject, called: number): number {
  const map = asString(asObject(pod.metadata.annotations)[PORTS_ANNOTATION]);
  if (map === '') return called;
  try {
    const real = asObject(JSON.parse(map))[String(called)];
    return typeof real === 'number' ? real : called;
  } catch {
    // Somebody else wrote it.
    return called;
  }
}

function targetPort(pod: StoredObject, port: JsonObject, protocol: string): number | undefined {
  const target = port.targetPort ?? port.port;
  if (typeof target === 'number') return target;
  const named = asArray(specOf(pod).containers)
    .flatMap((container) => asArray(asObject(container).ports).map(asObject))
    .find(({ name, protocol: spoken = 'TCP' }) => name === target && spoken === protocol);
  return typeof named?.containerPort === 'number' ? named.containerPort : undefined;
}
