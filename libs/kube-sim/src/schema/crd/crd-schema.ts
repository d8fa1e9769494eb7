import { objectAt, textAt, without } from '../json';
import type { JsonObject } from '../json';
import type { TypeSchema } from '../type-schema';
import { dnsSubdomain, invalid, noField, validateObjectMeta } from '../validation';
import type { FieldError, FieldErrorReason } from '../validation';
import { CelRules } from './cel-rules';
import { withDefaults } from './defaults';
import { validateUniqueness } from './list-uniqueness';
import { asOpenApiSchema } from './open-api-schema';
import type { OpenApiSchema } from './open-api-schema';
import { type Pruned, pruneObject } from './prune';
import { schemaFromOpenApi } from './schema-from-open-api';
import { validateValue } from './value-validator';

/** Errors after which rules are not even tried: they assume that types and required fields are right. */
const BLOCKING: ReadonlySet<FieldErrorReason> = new Set<FieldErrorReason>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * One served version of a custom resource, compiled once: what the server does with objects of it, in the order decode, applyDefaults,
 * validate. Every method leaves the given objects alone. Assumes a CRD that passed validateCrd.
 */
export class CrdSchema {
  readonly typeSchema: TypeSchema;
  private readonly rules: CelRules;

  private constructor(private readonly schema: OpenApiSchema) {
    this.typeSchema = schemaFromOpenApi(schema);
    this.rules = new CelRules(withObjectMeta(schema));
  }

  /** @param version an entry of spec.versions of a CustomResourceDefinition. */
  static compile(version: JsonObject): CrdSchema {
    const schema = objectAt(version, 'schema', 'openAPIV3Schema') ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    return new CrdSchema(asOpenApiSchema(schema));
  }

  /** The object without the fields that the schema does not declare, and their names: `spec.foo`, `spec.list[0].bar`. */
  decode(object: JsonObject): Pruned {
    return pruneObject(object, this.schema);
  }

  applyDefaults(object: JsonObject): JsonObject {
    return withDefaults(object, this.schema);
  }

  /** With the stored object given, transition rules run and unchanged parts are not held against the write. */
  validate(object: JsonObject, old?: JsonObject): FieldError[] {
    const errors = [
      ...validateObjectMeta(object, dnsSubdomain, old),
      ...validateValue(withoutMeta(object), this.schema, '', old === undefined ? undefined : withoutMeta(old)),
      ...validateUniqueness(object, this.schema),
    ];
    if (this.rules.isEmpty) return errors;
    if (errors.some(({ reason }) => BLOCKING.has(reason))) return [...errors, rulesNotChecked];
    return [...errors, ...this.rules.validate(object, old)];
  }
}

const rulesNotChecked = invalid(
  noField,
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** The root schema may restrict the name, and nothing else of the metadata is its business. */
function withoutMeta(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata') ?? {};
  const named = { name: textAt(metadata, 'name') };
  return { ...without(object, 'metadata'), metadata: named };
}

function withObjectMeta(schema: OpenApiSchema): OpenApiSchema {
  const text: OpenApiSchema = { type: 'string' };
  const metadata: OpenApiSchema = { type: 'object', properties: { name: text, generateName: text } };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
}
