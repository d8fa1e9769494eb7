import { get, textAt } from '../../json';
import type { JsonObject, JsonValue } from '../../json';
import { duplicate, invalid, notSupported } from '../../validation';
import type { FieldError } from '../../validation';

export function nonNegative(object: JsonObject, path: string, ...keys: readonly string[]): FieldError[] {
  return keys.flatMap((key) => {
    const value = get(object, key);
    return typeof value === 'number' && value < 0 ? [invalid(`${path}.${key}`, value, 'must be greater than or equal to 0')] : [];
  });
}

export function positive(object: JsonObject, path: string, key: string): FieldError[] {
  const value = get(object, key);
  return typeof value === 'number' && value <= 0 ? [invalid(`${path}.${key}`, value, 'must be greater than 0')] : [];
}

export function oneOf(object: JsonObject, path: string, key: string, supported: readonly string[]): FieldError[] {
  const value = textAt(object, key);
  return value === '' || supported.includes(value) ? [] : [notSupported(path === '' ? key : `${path}.${key}`, value, supported)];
}

export function portNumber(value: JsonValue, field: string): FieldError[] {
  const fits = typeof value === 'number' && value >= 1 && value <= 65535;
  return fits ? [] : [invalid(field, value, 'must be between 1 and 65535, inclusive')];
}

/** Names that come twice; the first items of a list can be there only to be compared with. */
export function repeatedNames(items: readonly JsonObject[], path: string, skipped = 0): FieldError[] {
  const names = items.map((item) => textAt(item, 'name'));
  return names.flatMap((name, index) =>
    index >= skipped && name !== '' && names.indexOf(name) < index ? [duplicate(`${path}[${index - skipped}].name`, name)] : [],
  );
}
