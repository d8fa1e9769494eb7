import { type AddressRange } from '../network';
import { type JsonObject, type ObjectStore, asObject, asString } from '../store';
import { invalid } from './api.errors';

const SERVICES = '/services';
/** As installers leave the first ones for the cluster's own. */
const FIRST_ADDRESS = 9;

/** Gives Services their cluster addresses, each to one Service at a time. */
export class ClusterIps {
  private next = FIRST_ADDRESS;

  constructor(
    private readonly store: ObjectStore,
    private readonly range: AddressRange,
  ) {}

  /** The Service with an address if its type has one; a Service that had one keeps it. */
  assign(service: JsonObject, old?: JsonObject): JsonObject {
    const spec = asObject(service.spec);
    const type = asString(spec.type) || 'ClusterIP';
    if (type === 'ExternalName') return service;
    const given = asString(spec.clusterIP);
    const kept = asString(asObject(old?.spec).clusterIP);
    if (given !== '' && given !== 'None' && given !== kept) this.checkFree(given, service);
    const clusterIP = given || kept || this.allocate();
    const families: JsonObject = { ipFamilies: spec.ipFamilies ?? ['IPv4'], ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack' };
    return { ...service, spec: { ...spec, clusterIP, clusterIPs: [clusterIP], ...families } };
  }

  private checkFree(address: string, service: JsonObject): void {
    if (!this.taken().has(address)) return;
    throw invalid('', 'Service', asString(asObject(service.metadata).name), [
      {
        field: 'spec.clusterIPs',
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify([address])}: failed to allocate IP ${address}: provided IP is already allocated`,
      },
    ]);
  }

  private taken(): Set<string> {
    return new Set([...this.store.collection(SERVICES).values()].map(({ object }) => asString(asObject(object.spec).clusterIP)));
  }

  private allocate(): string {
    const taken = this.taken();
    for (let attempts = 0; attempts < this.range.size; attempts++) {
      const address = this.range.at(this.next);
      this.next = (this.next + 1) % this.range.size;
      if (!taken.has(address)) return address;
    }
    throw new Error(`the cluster address range ${this.range.text} is used up`);
  }
}
