// Replaced by the apply, schema and tables rooms as they land.
import { type JsonObject } from '../store';
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
