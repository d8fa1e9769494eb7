import { hash } from 'node:crypto';

export type AddressFamily = 'IPv4' | 'IPv6';

const maxServiceName = 63;
const maxSliceName = 253;

/** `elasti-web-pvt-<hash>`: the Service through which the pods are known while the public one leads to the resolvers. */
export function privateServiceName(service: string): string {
  return childName(service, 'pvt', '', maxServiceName);
}

/** The slice that sends a Service's traffic to the resolvers. Its address type can never change, so each family has its own. */
export function proxySliceName(service: string, family: AddressFamily): string {
  return childName(service, 'endpointslice-to-resolver', familySuffix(family), maxSliceName);
}

/** The slice that names the resolvers as a last resort while the pods serve. */
export function standbySliceName(service: string, family: AddressFamily): string {
  return childName(service, 'standby', familySuffix(family), maxSliceName);
}

/** IPv4 has the name that KubeElasti gives, so that its slice is taken over rather than joined. */
function familySuffix(family: AddressFamily): string {
  return family === 'IPv4' ? '' : '-ipv6';
}

/** The hash of the whole name keeps shortened names apart. */
function childName(service: string, role: string, suffix: string, maxLength: number): string {
  const tail = `-${role}-${hash('sha256', service).slice(0, 10)}${suffix}`;
  const head = `elasti-${service}`.slice(0, maxLength - tail.length).replace(/[-.]+$/, '');
  return `${head}${tail}`;
}
