import type { ConfigMap, KubeObject, WatchEvent } from '../client';
import type { LogFields, Logger } from '../logging';

export function aConfigMap(name: string, overrides: Partial<ConfigMap['metadata']> = {}, data: Record<string, string> = {}): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1', ...overrides },
    data,
  };
}

export function bookmark(version: string, meaning: 'progress' | 'end' = 'progress'): WatchEvent {
  const annotations = meaning === 'end' ? { 'k8s.io/initial-events-end': 'true' } : undefined;
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion: version, annotations } };
  return { type: 'BOOKMARK', object };
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
};

export interface LogLine extends LogFields {
  level: string;
  message: string;
}

/** A logger that remembers, for tests about what is said. */
export function rememberingLogger(lines: LogLine[], bound: LogFields = {}): Logger {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ ...bound, ...fields, level, message });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => rememberingLogger(lines, { ...bound, ...fields }),
  };
}
