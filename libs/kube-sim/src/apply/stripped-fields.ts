import { FieldSet } from './field-set';

/** Fields that belong to the server, or name the object: nobody owns them. */
const unowned = FieldSet.of([
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields', 'resourceVersion'].map(
    (field) => ['f:metadata', `f:${field}`],
  ),
]);

export function stripUnowned(fields: FieldSet): FieldSet {
  return fields.difference(unowned);
}
