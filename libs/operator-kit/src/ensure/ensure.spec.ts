import type { KubeObject, KubeWriter } from '../client';
import { ConfigMap } from '../client';
import { ensure } from './ensure';

/** Remembers what was written; every write succeeds. */
function recordingWriter() {
  const applied: KubeObject[] = [];
  const writer: Pick<KubeWriter, 'apply'> = {
    apply: (_resource, object) => {
      applied.push(object);
      return Promise.resolve(object);
    },
  };
  return { writer: writer as KubeWriter, applied };
}

const aConfigMap = (data: Record<string, string>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'settings' },
  data,
});

describe('ensure', () => {
  it('writes what is missing', async () => {
    const { writer, applied } = recordingWriter();

    await expect(ensure(writer, ConfigMap, aConfigMap({ a: '1' }), { live: undefined, fieldManager: 'test' })).resolves.toBe('applied');

    expect(applied).toEqual([aConfigMap({ a: '1' })]);
  });

  it('writes nothing when the cluster agrees', async () => {
    const { writer, applied } = recordingWriter();
    const live = aConfigMap({ a: '1', addedByAnother: '2' });

    await expect(ensure(writer, ConfigMap, aConfigMap({ a: '1' }), { live, fieldManager: 'test' })).resolves.toBe('unchanged');

    expect(applied).toEqual([]);
  });

  it('corrects drift', async () => {
    const { writer, applied } = recordingWriter();

    await ensure(writer, ConfigMap, aConfigMap({ a: '1' }), { live: aConfigMap({ a: 'changed by hand' }), fieldManager: 'test' });

    expect(applied).toEqual([aConfigMap({ a: '1' })]);
  });
});
