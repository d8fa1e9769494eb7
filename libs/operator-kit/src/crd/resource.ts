import { type KubeObject, type ObjectMeta, type ResourceDefinition, apiVersionOf } from '../client';
import { InvalidSchemaError } from './crd.errors';
import { buildManifest, type CustomResourceManifest } from './manifest';
import { defineField } from './field';
import type { SchemaClass } from './field-options';
import { registrationOf } from './registration';
import { storedForm } from './stored-form';
import type { FieldProblem } from './schema-problems';
import { validateAs } from './validation';

/** The fields of a class without the class: objects of the API are plain. */
export type Fields<T> = T extends object ? { [K in keyof T]: T[K] } : T;

/** An object of a custom resource as it travels. Without a status class there is no status. */
export interface CustomObject<Spec extends object = object, Status extends object | undefined = object | undefined> extends KubeObject {
  spec: Fields<Spec>;
  status?: Fields<Status>;
}

export type NewObjectMeta = Omit<ObjectMeta, 'name'>;

/** What `Resource(...)` gives to the class that extends it; complete once that class is decorated with `@CustomResource`. */
export interface CustomResourceClass<Spec extends object = object, Status extends object | undefined = object | undefined> {
  new (): CustomObject<Spec, Status>;
  readonly definition: ResourceDefinition<CustomObject<Spec, Status>>;
  /** A plain object, ready to be sent; nothing is validated and no default is filled in. */
  create(name: string, spec: Fields<Spec>, metadata?: NewObjectMeta): CustomObject<Spec, Status>;
  /** The CustomResourceDefinition, ready to be applied. */
  crd(): CustomResourceManifest;
  /** A copy as the API server would store it: defaults filled in, unknown fields and nulls that a field does not take left out. */
  withDefaults(object: CustomObject<Spec, Status>): CustomObject<Spec, Status>;
  /**
   * What the API server would refuse, by path; empty when it would accept. Unknown fields are pruned, not refused.
   * Not looked at here: CEL rules and the metadata.
   */
  validate(object: unknown): FieldProblem[];
}

/**
 * The base of a custom resource made of a spec class and, if it reports anything, a status class (which gets the status subresource).
 *
 *     @CustomResource({ group: 'example.com', version: 'v1', kind: 'WebApp' })
 *     export class WebApp extends Resource(WebAppSpec, WebAppStatus) {}
 */
export function Resource<Spec extends object>(spec: SchemaClass<Spec>): CustomResourceClass<Spec, undefined>;
export function Resource<Spec extends object, Status extends object>(
  spec: SchemaClass<Spec>,
  status: SchemaClass<Status>,
): CustomResourceClass<Spec, Status>;
export function Resource(spec: SchemaClass, status?: SchemaClass): CustomResourceClass {
  abstract class Base {
    declare apiVersion: string;
    declare kind: string;
    declare metadata: ObjectMeta;
    declare spec: object;
    declare status?: object;

    static get definition(): ResourceDefinition<CustomObject> {
      return registrationOf(this).definition;
    }

    static create(name: string, newSpec: object, metadata: NewObjectMeta = {}): CustomObject {
      const { definition } = this;
      return { apiVersion: apiVersionOf(definition), kind: definition.kind, metadata: { ...metadata, name }, spec: newSpec };
    }

    static crd(): CustomResourceManifest {
      return buildManifest(registrationOf(this));
    }

    static withDefaults(object: CustomObject): CustomObject {
      return { ...(storedForm(registrationOf(this).schema, object) as CustomObject), metadata: structuredClone(object.metadata) };
    }

    static validate(object: unknown): FieldProblem[] {
      const { definition, schema, type } = registrationOf(this);
      return [...typeProblems(definition, object), ...validateAs(type, storedForm(schema, object))];
    }
  }
  if (typeof spec !== 'function') throw new InvalidSchemaError('Resource', 'the spec must be a class with @Field decorators');
  defineField(Base.prototype, 'spec', { type: spec });
  if (status) defineField(Base.prototype, 'status', { type: status, optional: true });
  return Base as unknown as CustomResourceClass;
}

function typeProblems(definition: ResourceDefinition, object: unknown): FieldProblem[] {
  const { apiVersion, kind } = (object ?? {}) as Partial<KubeObject>;
  const problems: FieldProblem[] = [];
  if (apiVersion !== apiVersionOf(definition)) problems.push({ field: 'apiVersion', message: `must be ${apiVersionOf(definition)}` });
  if (kind !== definition.kind) problems.push({ field: 'kind', message: `must be ${definition.kind}` });
  return problems;
}
