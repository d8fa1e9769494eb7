import { type FactoryProvider, Inject, type ExistingProvider } from '@nestjs/common';
import type { CacheOptions } from '../cache';
import { type KubeObject, type ResourceLike, definitionOf, groupResourceOf } from '../client';
import { ControllerManager } from '../manager';

/**
 * Injects the shared, read-only view of a kind: `@InjectLister(EndpointSlice) private readonly slices: Lister<EndpointSlice>`.
 *
 * The kind's name will do where no two groups in use share it: `@InjectLister('EndpointSlice')`. Provided by `OperatorKitModule.forLister`.
 */
export function InjectLister(resource: ResourceLike | string): ParameterDecorator & PropertyDecorator {
  return Inject(typeof resource === 'string' ? tokenOfKind(resource) : tokenOf(resource));
}

/** For tests and factories: what `@InjectLister` of this kind asks for. */
export function listerToken(resource: ResourceLike): string {
  return tokenOf(resource);
}

export function buildListerProviders<T extends KubeObject>(
  resource: ResourceLike<T>,
  options: CacheOptions<T>,
): (FactoryProvider | ExistingProvider)[] {
  const provide = tokenOf(resource);
  return [
    { provide, inject: [ControllerManager], useFactory: (manager: ControllerManager) => manager.caches.acquire(resource, options) },
    { provide: tokenOfKind(definitionOf(resource).kind), useExisting: provide },
  ];
}

function tokenOf(resource: ResourceLike): string {
  return `operator-kit lister of ${groupResourceOf(definitionOf(resource))}`;
}

function tokenOfKind(kind: string): string {
  return `operator-kit lister of kind ${kind}`;
}
