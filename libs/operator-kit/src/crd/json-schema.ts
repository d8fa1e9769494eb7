/** Any value that JSON can say. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A validation rule in the Common Expression Language, run by the API server only. */
export interface CelRule {
  /** `self` is the value the rule stands on; `oldSelf` its former state, which makes the rule run on updates only. */
  rule: string;
  message?: string;
  /** A CEL expression that yields the message. */
  messageExpression?: string;
  reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** Where the problem is reported, relative to the rule: `.spec.replicas`. */
  fieldPath?: string;
  /** Run a rule with `oldSelf` on creation too; `oldSelf` is an optional then. */
  optionalOldSelf?: boolean;
}

/** The part of OpenAPI v3 that a structural schema of a CustomResourceDefinition may use, as it travels. */
export interface JsonSchema {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  description?: string;
  format?: string;
  nullable?: boolean;
  default?: Json;
  enum?: Json[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: CelRule[];
}
