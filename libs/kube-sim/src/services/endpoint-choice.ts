import { type StoredObject, asArray, asObject, asString } from '../store';

/** Where a connection to a Service may go. */
export interface Backend {
  readonly host: string;
  readonly port: number;
}

/**
 * The backends of a Service's port, as kube-proxy takes them from all of its EndpointSlices: those that are ready, and when there is none
 * those that still serve while they end.
 */
export function backendsOf(slices: readonly StoredObject[], portName: string): Backend[] {
  const found = slices.flatMap(({ object }) => {
    const port = asArray(object.ports)
      .map(asObject)
      .find(({ name, protocol = 'TCP' }) => asString(name) === portName && protocol === 'TCP')?.port;
    if (typeof port !== 'number' || object.addressType === 'FQDN') return [];
    return asArray(object.endpoints)
      .map(asObject)
      .flatMap(({ addresses, conditions }) => {
        const host = asString(asArray(addresses)[0]);
        return host === '' ? [] : [{ host, port, ...stateOf(asObject(conditions)) }];
      });
  });
  const ready = found.filter(({ isReady }) => isReady);
  const chosen = ready.length > 0 ? ready : found.filter(({ isLastResort }) => isLastResort);
  return distinct(chosen.map(({ host, port }) => ({ host, port })));
}

/** Conditions that nobody set mean ready, and serving as ready. */
function stateOf({ ready, serving, terminating }: Readonly<Record<string, unknown>>) {
  const isReady = ready !== false;
  return { isReady, isLastResort: (typeof serving === 'boolean' ? serving : isReady) && terminating === true };
}

/** Two slices may name the same endpoint for a while. */
const distinct = (backends: readonly Backend[]): Backend[] => [
  ...new Map(backends.map((backend) => [`${backend.host} ${backend.port}`, backend])).values(),
];
