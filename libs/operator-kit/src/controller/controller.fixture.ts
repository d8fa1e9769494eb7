import type { KubeObject, ObjectMeta, ResourceDefinition } from '../client';

export interface Widget extends KubeObject {
  spec: { size: number };
  status?: { ready?: boolean; size?: number; notes?: string[] };
}

export const Widget: ResourceDefinition<Widget> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

export function aWidget(name: string, metadata: Partial<ObjectMeta> = {}, rest: Partial<Pick<Widget, 'spec' | 'status'>> = {}): Widget {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1', generation: 1, ...metadata },
    spec: { size: 1 },
    ...rest,
  };
}
