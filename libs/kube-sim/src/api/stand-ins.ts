// Replaced by the apply, schema and tables rooms as they land.
import { type FieldError } from '../schema';
import { type JsonObject } from '../store';
export const validateBuiltin = (_object: JsonObject): FieldError[] => [];
export const defaultBuiltin = (object: JsonObject): JsonObject => object;
