export * from './cache-access';
export * from './cache.errors';
export * from './lister';
export { Reflector } from './reflector';
export type { ReflectorDependencies, ReflectorHealth, ReflectorOptions, ReflectorScope, ReflectorSink } from './reflector';
export { SharedCache } from './shared-cache';
export type { CacheHealth, SharedCacheDependencies } from './shared-cache';
export { stripManagedFields } from './watched-resource';
