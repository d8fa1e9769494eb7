// Replaced by the apply, schema and tables rooms as they land.
import { type JsonObject } from '../store';
import { mergePatch } from '../patch';

export function serverSideApply(input: { live?: JsonObject; config: JsonObject; manager: string; force: boolean }): JsonObject {
  return input.live ? mergePatch(input.live, input.config) : input.config;
}

export function trackUpdate(_input: unknown): JsonObject[] {
  return [];
}

export const validateBuiltin = (_object: JsonObject): { field: string; reason: string; message: string }[] => [];
export const defaultBuiltin = (object: JsonObject): JsonObject => object;

export const CrdSchema = {
  compile: (_version: JsonObject) => ({
    prune: (object: JsonObject) => object,
    applyDefaults: (object: JsonObject) => object,
    validate: () => [],
    unknownFields: () => [],
  }),
};
