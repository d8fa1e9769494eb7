import { type SimClock } from '../sim-clock';
import { type JsonObject, type StoredObject } from '../store';
import { type Target } from './api-request';
import { toServed } from './conversion';
import { partialMetadata } from './representation';

/** Shows objects as the rows of a Table, as `kubectl get` prints them. */
export class TableMaker {
  constructor(private readonly clock: SimClock) {}

  tableOf(target: Target, objects: readonly StoredObject[]): JsonObject {
    const rows = objects.map((stored) => {
      const object = toServed(target.type, target.version.name, stored.object);
      return { cells: [stored.name], object: partialMetadata(object, 'meta.k8s.io/v1') };
    });
    return {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: {},
      columnDefinitions: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
      rows,
    };
  }
}
