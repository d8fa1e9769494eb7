import type { JsonObject } from '../schema';
import { toTable } from './to-table';
import type { TableRequest } from './to-table';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const metadata = { name: 'web', namespace: 'default', creationTimestamp: '2026-01-01T00:15:00Z' };

function cells(group: string, kind: string, object: JsonObject, printerColumns?: JsonObject[]): unknown {
  const { rows } = toTable({ group, kind }, [{ metadata, ...object }], printerColumns, nowMs);
  return (rows as JsonObject[])[0]?.cells;
}

function headers(request: TableRequest, printerColumns?: JsonObject[]): unknown[] {
  return (toTable(request, [], printerColumns, nowMs).columnDefinitions as JsonObject[]).map(({ name, type, format, priority }) => [
    name,
    type,
    format,
    priority,
  ]);
}

function pod(status: JsonObject, more: JsonObject = {}): JsonObject {
  return { metadata, spec: { containers: [{ name: 'a' }, { name: 'b' }], nodeName: 'n1' }, status, ...more };
}

describe('toTable', () => {
  it('has the shape that kubectl reads', () => {
    const object = { metadata, status: { phase: 'Active' } };

    const table = toTable({ group: '', kind: 'Namespace', metadata: { resourceVersion: '7' } }, [object], undefined, nowMs);

    expect(table).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7' },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
        { name: 'Status', type: 'string', format: '', description: '', priority: 0 },
        { name: 'Age', type: 'string', format: '', description: '', priority: 0 },
      ],
      rows: [{ cells: ['web', 'Active', '45m'], object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } }],
    });
  });

  it('sends along with a row what was asked for', () => {
    const object = { metadata, data: {} };
    const rowWith = (includeObject: 'None' | 'Object'): unknown =>
      (toTable({ group: '', kind: 'ConfigMap', includeObject }, [object], undefined, nowMs).rows as JsonObject[])[0];

    expect(rowWith('None')).toEqual({ cells: ['web', 0, '45m'] });
    expect(rowWith('Object')).toEqual({ cells: ['web', 0, '45m'], object });
  });

  it('shows when an object was made for kinds without a printer of their own', () => {
    expect(headers({ group: 'rbac.authorization.k8s.io', kind: 'Role' })).toEqual([
      ['Name', 'string', 'name', 0],
      ['Created At', 'date', '', 0],
    ]);
  });

  it('shows workloads by their replicas', () => {
    const template = { spec: { containers: [{ name: 'web', image: 'nginx:1' }] } };
    const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };

    expect(cells('apps', 'Deployment', { spec, status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 } })).toEqual([
      'web',
      '1/3',
      2,
      1,
      '45m',
      'web',
      'nginx:1',
      'app=web',
    ]);
    expect(cells('apps', 'StatefulSet', { spec })).toEqual(['web', '0/3', '45m', 'web', 'nginx:1']);
    expect(cells('apps', 'ReplicaSet', { spec, status: { replicas: 3 } })).toEqual(['web', 3, 3, 0, '45m', 'web', 'nginx:1', 'app=web']);
  });

  it.each([
    [
      { spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', ports: [{ port: 80, protocol: 'TCP' }] } },
      ['ClusterIP', '10.0.0.1', '<none>', '80/TCP'],
    ],
    [{ spec: { type: 'ExternalName', externalName: 'a.b' } }, ['ExternalName', '<none>', 'a.b', '<none>']],
    [
      { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1', ports: [{ port: 80, nodePort: 30000, protocol: 'TCP' }] } },
      ['LoadBalancer', '10.0.0.1', '<pending>', '80:30000/TCP'],
    ],
  ])('shows the service %j', (service, expected) => {
    expect((cells('', 'Service', service) as unknown[]).slice(1, 5)).toEqual(expected);
  });

  it.each<[string, JsonObject]>([
    ['Pending', pod({ phase: 'Pending' })],
    ['Running', pod({ phase: 'Running', containerStatuses: [{ ready: true, state: { running: {} } }] })],
    ['CrashLoopBackOff', pod({ phase: 'Running', containerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff' } } }] })],
    ['Error', pod({ phase: 'Running', containerStatuses: [{ state: { terminated: { reason: 'Error', exitCode: 1 } } }] })],
    ['ExitCode:3', pod({ phase: 'Running', containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] })],
    ['Terminating', pod({ phase: 'Running' }, { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:59:00Z' } })],
    [
      'Init:0/1',
      pod(
        { phase: 'Pending', initContainerStatuses: [{ state: { waiting: { reason: 'PodInitializing' } } }] },
        { spec: { initContainers: [{}] } },
      ),
    ],
    ['Evicted', pod({ phase: 'Failed', reason: 'Evicted' })],
  ])('calls a pod %s', (status, object) => {
    expect((cells('', 'Pod', object) as unknown[])[2]).toBe(status);
  });

  it('counts restarts and says when the last one was', () => {
    const object = pod({
      containerStatuses: [
        { restartCount: 3, ready: true, state: { running: {} }, lastState: { terminated: { finishedAt: '2026-01-01T00:55:00Z' } } },
      ],
    });

    expect((cells('', 'Pod', object) as unknown[]).slice(1, 4)).toEqual(['1/2', 'Unknown', '3 (5m ago)']);
  });

  it('shows events of both groups alike', () => {
    const core = {
      involvedObject: { kind: 'Pod', name: 'p' },
      lastTimestamp: '2026-01-01T00:59:00Z',
      type: 'Normal',
      reason: 'R',
      message: 'm',
    };
    const fresh = {
      regarding: { kind: 'Pod', name: 'p' },
      eventTime: '2026-01-01T00:59:00.000000Z',
      type: 'Normal',
      reason: 'R',
      note: 'm',
    };
    const shown = ['60s', 'Normal', 'R', 'pod/p'];

    expect((cells('', 'Event', core) as unknown[]).slice(0, 4)).toEqual(shown);
    expect((cells('events.k8s.io', 'Event', fresh) as unknown[]).slice(0, 4)).toEqual(shown);
  });

  it('shortens long lists of endpoints', () => {
    const endpoints = ['1', '2', '3', '4', '5'].map((last) => ({ addresses: [`10.0.0.${last}`] }));

    expect(cells('discovery.k8s.io', 'EndpointSlice', { addressType: 'IPv4', endpoints, ports: [{ port: 80 }] })).toEqual([
      'web',
      'IPv4',
      '80',
      '10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...',
      '45m',
    ]);
  });

  it('shows the columns that a custom resource declares, and its age if it declares none', () => {
    const columns: JsonObject[] = [
      { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1 },
      { name: 'Since', type: 'date', jsonPath: '.status.since' },
      { name: 'Missing', type: 'string', jsonPath: '.status.missing' },
    ];
    const object = { spec: { replicas: 2 }, status: { conditions: [{ type: 'Ready', status: 'True' }], since: '2026-01-01T00:00:00Z' } };

    expect(headers({ group: 'example.com', kind: 'Thing' }, columns)).toContainEqual(['Ready', 'string', '', 1]);
    expect(cells('example.com', 'Thing', object, columns)).toEqual(['web', 2, 'True', '60m', null]);
    expect(cells('example.com', 'Thing', object, [])).toEqual(['web', '45m']);
  });
});
