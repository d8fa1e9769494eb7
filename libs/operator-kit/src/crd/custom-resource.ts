import { InvalidSchemaError } from './crd.errors';
import type { CustomResourceOptions } from './custom-resource-options';
import type { SchemaClass } from './field-options';
import { fieldsOf } from './field-registry';
import { schemaOf } from './field-schema';
import type { JsonSchema } from './json-schema';
import { buildManifest } from './manifest';
import { register } from './registration';
import type { CustomResourceClass } from './resource';

const dnsLabel = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;
const kindName = /^[A-Z][A-Za-z0-9]{0,62}$/;

/**
 * Makes a class that extends `Resource(...)` a kind of the Kubernetes API: one source for the TypeScript type, the factory,
 * the CustomResourceDefinition and the runtime validation.
 *
 * @throws InvalidSchemaError while the class is defined, for names or versions that the API server would refuse.
 */
export function CustomResource(options: CustomResourceOptions) {
  return (type: CustomResourceClass): void => {
    checkNames(options, type.name);
    const plural = options.plural ?? `${options.kind.toLowerCase()}s`;
    const registration = {
      type: type as SchemaClass,
      options,
      definition: Object.freeze({
        group: options.group,
        version: options.version,
        kind: options.kind,
        plural,
        namespaced: options.scope !== 'Cluster',
      }),
      schema: rootSchema(type, options),
      hasStatus: fieldsOf(type).some(({ name }) => name === 'status'),
    };
    register(registration);
    // Built once here so that a mistake in the versions shows where it was written, not where the manifest is first used.
    buildManifest(registration);
  };
}

function rootSchema(type: CustomResourceClass, { description, validations = [] }: CustomResourceOptions): JsonSchema {
  const own = schemaOf(type);
  const rules = [...(own['x-kubernetes-validations'] ?? []), ...validations];
  return {
    ...own,
    ...(description === undefined ? {} : { description }),
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' }, ...own.properties },
    ...(rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
  };
}

function checkNames(options: CustomResourceOptions, where: string): void {
  const { group, version, kind, plural, singular, shortNames = [] } = options;
  if (!dnsSubdomain.test(group)) throw new InvalidSchemaError(where, `group ${group} must be a DNS name with a dot, such as example.com`);
  if (!dnsLabel.test(version)) throw new InvalidSchemaError(where, `version ${version} must be a DNS label, such as v1 or v1alpha1`);
  if (!kindName.test(kind)) throw new InvalidSchemaError(where, `kind ${kind} must be in upper camel case, such as WebApp`);
  for (const name of [plural, singular, ...shortNames]) {
    if (name !== undefined && !dnsLabel.test(name)) throw new InvalidSchemaError(where, `the name ${name} must be a lower-case DNS label`);
  }
}
