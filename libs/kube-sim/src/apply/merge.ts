import { cloneJson, fieldType, get, put } from '../schema';
import type { JsonObject, JsonValue, ListSchema, TypeSchema } from '../schema';
import type { PathElement } from './field-set';
import { asItems, asMap, isEmptyValue, keyedItems, shapeOf } from './shapes';

/** Lays a configuration over a live value: what it states wins, what it leaves out stays. */
export function mergeConfig(live: JsonValue | undefined, config: JsonValue | undefined, schema: TypeSchema): JsonValue {
  if (config === undefined) return cloneJson(live ?? null);
  const shape = shapeOf(schema, config);
  if (live === undefined || shape.kind === 'leaf' || (isEmptyValue(live) && isEmptyValue(config))) return cloneJson(config);
  if (shape.kind === 'map') return mergeMaps(asMap(live), asMap(config), shape.type);
  return mergeLists(asItems(live), asItems(config), shape.type);
}

function mergeMaps(live: JsonObject, config: JsonObject, type: TypeSchema): JsonObject {
  const merged: JsonObject = {};
  for (const key of new Set([...Object.keys(live), ...Object.keys(config)])) {
    put(merged, key, mergeConfig(get(live, key), get(config, key), fieldType(type, key)));
  }
  return merged;
}

/** The configuration's order holds for its own items; an item that only the live list has keeps its place among its neighbours. */
function mergeLists(live: readonly JsonValue[], config: readonly JsonValue[], type: ListSchema): JsonValue[] {
  const liveItems = keyedItems(type, live);
  const configItems = keyedItems(type, config);
  const inLive = new Map(liveItems.map(({ element, value }) => [element, value]));
  const inConfig = new Set(configItems.map(({ element }) => element));
  const shared = configItems.map(({ element }) => element).filter((element) => inLive.has(element));
  const done = new Set<PathElement>();
  const merged: JsonValue[] = [];
  const takeConfig = (index: number): void => {
    const item = configItems[index];
    if (item === undefined) return;
    merged.push(mergeConfig(inLive.get(item.element), item.value, type.items));
    done.add(item.element);
  };

  let liveIndex = 0;
  let configIndex = 0;
  while (liveIndex < liveItems.length || configIndex < configItems.length) {
    const left = liveItems[liveIndex];
    const right = configItems[configIndex];
    const nextShared = shared.find((element) => !done.has(element));
    if (left !== undefined && !inConfig.has(left.element)) {
      merged.push(cloneJson(left.value));
      liveIndex += 1;
    } else if (
      left !== undefined &&
      (done.has(left.element) || (right !== undefined && left.element !== right.element && nextShared !== left.element))
    ) {
      // An item of both lists whose turn comes later, or was already.
      liveIndex += 1;
    } else {
      takeConfig(configIndex);
      if (left?.element === right?.element) liveIndex += 1;
      configIndex += 1;
    }
  }
  return merged;
}
