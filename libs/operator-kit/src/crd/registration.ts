import 'reflect-metadata';
import type { ResourceDefinition } from '../client';
import { InvalidSchemaError } from './crd.errors';
import type { CustomResourceOptions } from './custom-resource-options';
import type { SchemaClass } from './field-options';
import type { JsonSchema } from './json-schema';
import type { CustomObject } from './resource';

/** What `@CustomResource` found out about a class. */
export interface Registration {
  readonly type: SchemaClass;
  readonly options: CustomResourceOptions;
  readonly definition: ResourceDefinition<CustomObject>;
  readonly schema: JsonSchema;
  readonly hasStatus: boolean;
}

const registrationKey = Symbol('operator-kit:custom-resource');

export function register(registration: Registration): void {
  Reflect.defineMetadata(registrationKey, registration, registration.type);
}

/** @throws InvalidSchemaError for a class that was never decorated. */
export function registrationOf(type: object): Registration {
  const registration = Reflect.getOwnMetadata(registrationKey, type) as Registration | undefined;
  if (registration) return registration;
  const name = typeof type === 'function' ? type.name : 'this class';
  throw new InvalidSchemaError(name, 'is not decorated with @CustomResource({ group, version, kind })');
}
