import { type SimClock } from '../sim-clock';
import { type Change, type JsonObject, type StoredObject, asArray, asObject, asString, asStringMap, sameJson } from '../store';
import { ControlLoop } from './control-loop';
import { buildControllerReference } from './controlled-objects';
import { type AddressFamily, buildEndpoint, portsOn } from './endpoints';
import { LabelIndex, SelectorIndex } from './label-index';
import { type ObjectAccess } from './object-access';
import { isTerminating } from './pod-state';
import { type EndpointGroup, type PlannedSlice, planSlices } from './slice-plan';
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from './storage-ids';
import { specOf } from './workload-object';

const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const HEADLESS = 'service.kubernetes.io/headless';
const CONTROLLER = 'endpointslice-controller.k8s.io';
const ZONE = 'topology.kubernetes.io/zone';

/**
 * Keeps the EndpointSlices of every Service that selects pods in step with the Service and its pods.
 *
 * Touches only slices that carry its own managed-by label. A Service that stops selecting keeps the slices it has.
 */
export class EndpointSliceController {
  private readonly loop: ControlLoop;
  private readonly pods: LabelIndex;
  private readonly slices: LabelIndex;
  private readonly selectors = new SelectorIndex();
  private readonly stopListening: () => void;

  constructor(
    private readonly access: ObjectAccess,
    clock: SimClock,
  ) {
    this.loop = new ControlLoop(clock, (key) => {
      this.reconcile(key);
    });
    this.pods = new LabelIndex(access.store.collection(PODS));
    this.slices = new LabelIndex(access.store.collection(ENDPOINT_SLICES));
    this.stopListening = access.store.listen((storageId, change) => {
      this.follow(storageId, change);
    });
  }

  stop(): void {
    this.stopListening();
    this.pods.stop();
    this.slices.stop();
    this.loop.stop();
  }

  private follow(storageId: string, { type, object, previous }: Change): void {
    if (storageId === SERVICES) {
      if (type === 'DELETED') this.selectors.delete(object.key);
      else this.selectors.set(object.namespace, object.key, selectorOf(object));
      this.loop.add(object.key);
    } else if (storageId === PODS) {
      for (const { namespace, labels } of previous ? [previous, object] : [object])
        for (const service of this.selectors.matching(namespace, labels)) this.loop.add(service);
    } else if (storageId === ENDPOINT_SLICES) {
      for (const { namespace, labels } of previous ? [previous, object] : [object])
        if (labels[MANAGED_BY] === CONTROLLER) this.loop.add(`${namespace}/${labels[SERVICE_NAME] ?? ''}`);
    }
  }

  private reconcile(key: string): void {
    const service = this.access.get(SERVICES, key);
    if (!service || isTerminating(service) || Object.keys(selectorOf(service)).length === 0) return;
    if (asString(specOf(service).type) === 'ExternalName') return;
    const existing = this.slices.matching(service.namespace, { [SERVICE_NAME]: service.name, [MANAGED_BY]: CONTROLLER });
    const families = familiesOf(service);
    const groups = families.flatMap((family) => this.groupsOf(service, family));
    const { wanted, spare } = planSlices(
      families,
      groups,
      existing.filter((slice) => !isTerminating(slice)),
    );
    for (const planned of wanted) this.write(service, planned);
    for (const slice of spare) this.access.delete(ENDPOINT_SLICES, slice);
  }

  private groupsOf(service: StoredObject, family: AddressFamily): EndpointGroup[] {
    const groups = new Map<string, { ports: JsonObject[]; endpoints: JsonObject[] }>();
    for (const pod of this.pods.matching(service.namespace, selectorOf(service))) {
      const endpoint = buildEndpoint(service, pod, family, this.zoneOf(pod));
      if (!endpoint) continue;
      const ports = portsOn(service, pod);
      const key = JSON.stringify(ports);
      const group = groups.get(key) ?? { ports, endpoints: [] };
      group.endpoints.push(endpoint);
      groups.set(key, group);
    }
    return [...groups.values()].map((group) => ({ family, ...group }));
  }

  private zoneOf(pod: StoredObject): string {
    const nodeName = asString(specOf(pod).nodeName);
    return (nodeName === '' ? undefined : this.access.get(NODES, nodeName))?.labels[ZONE] ?? '';
  }

  private write(service: StoredObject, { slice, family, ports, endpoints }: PlannedSlice): void {
    const labels = labelsFor(service);
    const content: JsonObject = {
      endpoints: endpoints.length === 0 ? null : [...endpoints],
      ports: endpoints.length === 0 ? null : [...ports],
    };
    if (!slice) {
      this.access.create(ENDPOINT_SLICES, service.namespace, {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { generateName: `${service.name}-`, labels, ownerReferences: [buildControllerReference(service)] },
        addressType: family,
        ...content,
      });
      return;
    }
    if (isAsWanted(slice, labels, content)) return;
    this.access.replace(ENDPOINT_SLICES, slice, { ...slice.object, metadata: { ...slice.metadata, labels }, ...content });
  }
}

const selectorOf = (service: StoredObject): Record<string, string> => asStringMap(specOf(service).selector);

const isAsWanted = ({ object, metadata }: StoredObject, labels: JsonObject, { endpoints, ports }: JsonObject): boolean =>
  sameJson(asObject(metadata.labels), labels) &&
  sameJson(asArray(object.endpoints), asArray(endpoints)) &&
  sameJson(asArray(object.ports), asArray(ports));

function familiesOf(service: StoredObject): AddressFamily[] {
  const families = asArray(specOf(service).ipFamilies).filter((family) => family === 'IPv4' || family === 'IPv6');
  return families.length === 0 ? ['IPv4'] : families;
}

function labelsFor(service: StoredObject): Record<string, string> {
  const reserved = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS]);
  const copied = Object.entries(service.labels).filter(([label]) => !reserved.has(label));
  return {
    ...Object.fromEntries(copied),
    ...(asString(specOf(service).clusterIP) === 'None' ? { [HEADLESS]: '' } : {}),
    [SERVICE_NAME]: service.name,
    [MANAGED_BY]: CONTROLLER,
  };
}
