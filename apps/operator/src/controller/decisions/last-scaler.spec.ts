import type { ManagedFieldsEntry } from '@elasti/operator-kit';
import { lastScalerOf } from './last-scaler';

const replicas = { 'f:spec': { 'f:replicas': {} } };
const entry = (
  manager: string | undefined,
  time: string | undefined,
  fieldsV1: Record<string, unknown> = replicas,
): ManagedFieldsEntry => ({
  manager,
  time,
  fieldsV1,
});

describe('lastScalerOf', () => {
  it('names whoever wrote the replicas last', () => {
    const fields = [
      entry('elasti-operator', '2030-01-01T00:00:00Z'),
      entry('kube-controller-manager', '2030-01-01T00:00:05Z'),
      entry('kubectl-scale', '2030-01-01T00:00:01Z'),
    ];

    expect(lastScalerOf(fields)).toEqual({ manager: 'kube-controller-manager', atMs: Date.UTC(2030, 0, 1, 0, 0, 5), isElasti: false });
  });

  it('knows our own hand', () => {
    expect(lastScalerOf([entry('elasti-operator', '2030-01-01T00:00:00Z')])).toMatchObject({ isElasti: true });
  });

  it('leaves out those who wrote other fields', () => {
    const fields = [
      entry('elasti-operator', '2030-01-01T00:00:00Z'),
      entry('kubectl', '2030-01-02T00:00:00Z', { 'f:spec': { 'f:template': {} } }),
      entry('kube-controller-manager', '2030-01-03T00:00:00Z', { 'f:status': { 'f:replicas': {} } }),
      { manager: 'none', time: '2030-01-04T00:00:00Z' },
    ];

    expect(lastScalerOf(fields)?.manager).toBe('elasti-operator');
  });

  it('knows nobody where nobody has been noted, and takes a note without name or time as the oldest', () => {
    expect(lastScalerOf([])).toBeUndefined();
    expect(lastScalerOf([entry(undefined, undefined), entry('kubectl', '2030-01-01T00:00:00Z')])?.manager).toBe('kubectl');
    expect(lastScalerOf([entry(undefined, undefined)])).toEqual({ manager: 'someone', atMs: 0, isElasti: false });
  });
});
