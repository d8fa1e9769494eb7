import { type ConfigMap, type KubeObject, TransportError, type WatchEvent, apiErrorFor } from '../client';

export function aConfigMap(name: string, metadata: Partial<ConfigMap['metadata']> = {}, data: Record<string, string> = {}): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
    data,
  };
}

export function bookmark(version: string, meaning: 'progress' | 'end' = 'progress'): WatchEvent {
  const annotations = meaning === 'end' ? { 'k8s.io/initial-events-end': 'true' } : undefined;
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion: version, annotations } };
  return { type: 'BOOKMARK', object };
}

export function added(object: KubeObject): WatchEvent {
  return { type: 'ADDED', object };
}

export function modified(object: KubeObject): WatchEvent {
  return { type: 'MODIFIED', object };
}

export function deleted(object: KubeObject): WatchEvent {
  return { type: 'DELETED', object };
}

export function apiError(code: number, reason: string, details: object = {}): Error {
  return apiErrorFor(code, { kind: 'Status', apiVersion: 'v1', code, reason, details }, 'GET /api/v1/configmaps');
}

export function gone(): Error {
  return apiError(410, 'Expired');
}

export function throttled(retryAfterSeconds?: number): Error {
  return apiError(429, 'TooManyRequests', { retryAfterSeconds });
}

export function tooLargeVersion(): Error {
  return apiError(504, 'Timeout', { causes: [{ reason: 'ResourceVersionTooLarge' }] });
}

export function refused(): Error {
  return new TransportError('GET /api/v1/configmaps', { cause: new Error('connect ECONNREFUSED') });
}
