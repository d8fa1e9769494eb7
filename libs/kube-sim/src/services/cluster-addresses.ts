import { SERVICES } from '../controllers';
import { type ServiceAddress, type ServiceDirectory } from '../kubelet';
import { type ObjectStore, asObject, asString } from '../store';

/** Services where the API says they are, for pods that nobody is to reach anyway. */
export class ClusterAddresses implements ServiceDirectory {
  constructor(private readonly store: ObjectStore) {}

  addressOf(namespace: string, name: string, port: number): Promise<ServiceAddress | undefined> {
    const host = asString(asObject(this.store.get(SERVICES, namespace, name)?.object.spec).clusterIP);
    return Promise.resolve(host === '' || host === 'None' ? undefined : { host, port });
  }
}
