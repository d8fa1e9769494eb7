import { ControlLoop, ENDPOINT_SLICES, LabelIndex, SERVICES, isTerminating, specOf } from '../controllers';
import { type ServiceAddress, type ServiceDirectory } from '../kubelet';
import { type PodNetwork } from '../network';
import { type SimClock } from '../sim-clock';
import { type JsonObject, type ObjectStore, type StoredObject, asArray, asObject, asString } from '../store';
import { type Backend, backendsOf } from './endpoint-choice';
import { ServicePort } from './service-port';

const SERVICE_NAME = 'kubernetes.io/service-name';
const LOCALHOST = '127.0.0.1';

/** A Service's port that the machine did not let us listen on. */
export interface RefusedPort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** Why: EACCES for ports that need privileges, EADDRINUSE for those that somebody else has. */
  readonly error: Error;
}

export interface ServiceListenerSettings {
  /** Where Services get their cluster addresses from with the network `addresses`. Default 127.96.0.0/16. */
  readonly range?: string;
  /** Told once for each port and cause; listening is tried again by itself. */
  readonly onRefused?: (refused: RefusedPort) => void;
}

/**
 * Makes Services reachable on this machine, as kube-proxy does on a node: a listener for each TCP port of each Service that has a
 * cluster address, which sends every new connection to an endpoint of the Service's EndpointSlices, whoever wrote them.
 *
 * Connections that are open outlive their endpoints' slices and their Service. After stop() no socket and no timer is left.
 */
export class ServiceListeners implements ServiceDirectory {
  private readonly loop: ControlLoop;
  private readonly slices: LabelIndex;
  /** By the Service's key and the port's number. */
  private readonly open = new Map<string, Map<number, ServicePort>>();
  /** Closed, but perhaps with connections that go on. */
  private readonly closed = new Set<ServicePort>();
  private readonly stopListening: () => void;
  private isStopped = false;

  constructor(
    private readonly store: ObjectStore,
    private readonly network: PodNetwork,
    private readonly clock: SimClock,
    private readonly settings: ServiceListenerSettings,
  ) {
    this.slices = new LabelIndex(store.collection(ENDPOINT_SLICES));
    this.loop = new ControlLoop(clock, (key) => {
      this.reconcile(key);
    });
    this.stopListening = store.listen((storageId, { object }) => {
      if (storageId === SERVICES) this.loop.add(object.key);
    });
  }

  /** The first port of the Service when none is named; undefined while nothing listens there. */
  addressNow(namespace: string, name: string, port?: number | string): ServiceAddress | undefined {
    const service = this.store.get(SERVICES, namespace, name);
    const asked = service && tcpPorts(service).find((entry) => port === undefined || entry.port === port || asString(entry.name) === port);
    return asked && this.open.get(`${namespace}/${name}`)?.get(Number(asked.port))?.address;
  }

  async addressOf(namespace: string, name: string, port: number): Promise<ServiceAddress | undefined> {
    const key = `${namespace}/${name}`;
    // The change that made the Service may still wait for its turn.
    this.reconcile(key);
    const listener = this.open.get(key)?.get(port);
    await listener?.tried;
    if (this.network === 'ports') return listener?.address;
    // Where a cluster address is refused for now, it is still the Service's.
    return listener && { host: clusterIpOf(this.store.get(SERVICES, namespace, name)), port };
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.stopListening();
    this.loop.stop();
    this.slices.stop();
    const all = [...this.open.values()].flatMap((ports) => [...ports.values()]);
    await Promise.all([...all, ...this.closed].map((listener) => listener.end()));
    this.open.clear();
    this.closed.clear();
  }

  private reconcile(key: string): void {
    if (this.isStopped) return;
    const service = this.store.collection(SERVICES).get(key);
    const wanted = new Set(service && hasListeners(service) ? tcpPorts(service).map(({ port }) => Number(port)) : []);
    const listeners = this.open.get(key) ?? new Map<number, ServicePort>();
    for (const [number, listener] of listeners) {
      if (wanted.has(number)) continue;
      listeners.delete(number);
      this.retire(listener);
    }
    if (service) for (const number of wanted) if (!listeners.has(number)) listeners.set(number, this.listen(service, number));
    if (listeners.size > 0) this.open.set(key, listeners);
    else this.open.delete(key);
  }

  private listen(service: StoredObject, number: number): ServicePort {
    const { key, namespace, name } = service;
    return new ServicePort({
      host: this.network === 'ports' ? LOCALHOST : clusterIpOf(service),
      port: this.network === 'ports' ? 0 : number,
      clock: this.clock,
      backends: () => this.backends(key, number),
      onRefused: (error) => {
        this.settings.onRefused?.({ namespace, name, port: number, error });
      },
    });
  }

  private retire(listener: ServicePort): void {
    listener.close();
    this.closed.add(listener);
    void listener.drained.then(() => this.closed.delete(listener));
  }

  private backends(key: string, number: number): readonly Backend[] {
    const service = this.store.collection(SERVICES).get(key);
    const port = service && tcpPorts(service).find((entry) => entry.port === number);
    return port ? backendsOf(this.slices.matching(service.namespace, { [SERVICE_NAME]: service.name }), asString(port.name)) : [];
  }
}

const clusterIpOf = (service: StoredObject | undefined): string => asString(asObject(service?.object.spec).clusterIP);

const hasListeners = (service: StoredObject): boolean => {
  const clusterIp = clusterIpOf(service);
  return !isTerminating(service) && clusterIp !== '' && clusterIp !== 'None' && specOf(service).type !== 'ExternalName';
};

const tcpPorts = (service: StoredObject): JsonObject[] =>
  asArray(specOf(service).ports)
    .map(asObject)
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP');
