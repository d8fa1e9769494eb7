import { type JsonObject, type ObjectStore, asObject, asString } from '../store';

const SERVICES = '/services';
const RANGE_PREFIX = '10.96';
const FIRST_ADDRESS = 10;
const LAST_ADDRESS = 65_534;

/** Gives Services their cluster addresses, each to one Service at a time. */
export class ClusterIps {
  private next = FIRST_ADDRESS;

  constructor(private readonly store: ObjectStore) {}

  /** The Service with an address if its type has one; a Service that had one keeps it. */
  assign(service: JsonObject, old?: JsonObject): JsonObject {
    const spec = asObject(service.spec);
    const type = asString(spec.type) || 'ClusterIP';
    if (type === 'ExternalName') return service;
    const clusterIP = asString(spec.clusterIP) || asString(asObject(old?.spec).clusterIP) || this.allocate();
    const isHeadless = clusterIP === 'None';
    const families: JsonObject = isHeadless
      ? {}
      : { ipFamilies: spec.ipFamilies ?? ['IPv4'], ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack' };
    return { ...service, spec: { ...spec, clusterIP, clusterIPs: [clusterIP], ...families } };
  }

  private allocate(): string {
    const taken = new Set([...this.store.collection(SERVICES).values()].map(({ object }) => asString(asObject(object.spec).clusterIP)));
    for (let attempts = 0; attempts < LAST_ADDRESS; attempts++) {
      const address = `${RANGE_PREFIX}.${this.next >> 8}.${this.next & 255}`;
      this.next = this.next >= LAST_ADDRESS ? FIRST_ADDRESS : this.next + 1;
      if (!taken.has(address)) return address;
    }
    throw new Error('the cluster address range is used up');
  }
}
