import { isWakingPort, type ServiceDirectory } from '../directory';
import type { PrivateServices } from '../endpoints';
import type { ServicePort } from '../exchange';
import { parseServiceHost, type ServiceHost } from './service-host';

const httpPort = 80;

/**
 * Whom a request on the shared port is for, by the name it gives.
 *
 * Only Services that an ElastiService speaks for are found, and of those only ports they have. A name without a port means port 80, or the first
 * port that wakes where there is no 80.
 */
export class SharedPort {
  constructor(
    private readonly directory: Pick<ServiceDirectory, 'find'>,
    private readonly services: Pick<PrivateServices, 'find'>,
    private readonly clusterDomain: string,
  ) {}

  find(name: string): ServicePort | undefined {
    const host = parseServiceHost(name, this.clusterDomain);
    const port = host && this.portOf(host);
    return host && port !== undefined ? { namespace: host.namespace, service: host.service, port } : undefined;
  }

  private portOf(host: ServiceHost): number | undefined {
    const known = this.directory.find(host);
    if (!known) return undefined;
    const ports = this.services.find(host)?.ports;
    // Nothing can be checked before the private Service is there; the gate holds such requests and checks them then.
    if (!ports) return host.port ?? httpPort;
    if (host.port !== undefined) return ports.has(host.port) ? host.port : undefined;
    if (ports.has(httpPort)) return httpPort;
    return [...ports].find(([, { name }]) => isWakingPort(known, name))?.[0];
  }
}
