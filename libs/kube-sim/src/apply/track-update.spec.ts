import { builtinSchema, cloneJson, deduced, without } from '../schema';
import type { JsonObject } from '../schema';
import { trackUpdate } from './track-update';
import type { UpdateRequest } from './track-update';

const typeSchema = builtinSchema('apps', 'v1', 'Deployment');
const morning = '2026-01-01T08:00:00Z';
const evening = '2026-01-01T20:00:00Z';

const created: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', uid: '1', generation: 1, labels: { app: 'web' } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'web', image: 'nginx:1.2', resources: {}, ports: [{ containerPort: 80, protocol: 'TCP' }] }],
        dnsPolicy: 'x',
      },
    },
  },
  status: {},
};

function track(request: Partial<UpdateRequest> & Pick<UpdateRequest, 'after'>): JsonObject[] {
  return trackUpdate({ manager: 'kubectl-create', apiVersion: 'apps/v1', typeSchema, nowIso: morning, ...request });
}

function stored(object: JsonObject, managedFields: JsonObject[]): JsonObject {
  return { ...object, metadata: { ...(object.metadata as JsonObject), managedFields } };
}

function withSpec(object: JsonObject, change: JsonObject): JsonObject {
  return { ...cloneJson(object), spec: { ...(object.spec as JsonObject), ...change } };
}

describe('trackUpdate', () => {
  const tracked = stored(created, track({ after: created }));

  it('gives a created object to its creator, as the API server writes it', () => {
    const labels = { 'f:labels': { '.': {}, 'f:app': {} } };

    expect(track({ after: created })).toEqual([
      {
        manager: 'kubectl-create',
        operation: 'Update',
        apiVersion: 'apps/v1',
        time: morning,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': labels,
          'f:spec': {
            'f:replicas': {},
            'f:selector': {},
            'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} }, 'f:type': {} },
            'f:template': {
              'f:metadata': labels,
              'f:spec': {
                'f:containers': {
                  'k:{"name":"web"}': {
                    '.': {},
                    'f:image': {},
                    'f:name': {},
                    'f:ports': {
                      '.': {},
                      'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {}, 'f:protocol': {} },
                    },
                    'f:resources': {},
                  },
                },
                'f:dnsPolicy': {},
              },
            },
          },
        },
      },
    ]);
  });

  it('moves a changed field to the writer', () => {
    const after = withSpec(tracked, { replicas: 3 });

    const entries = track({ before: tracked, after, manager: 'scaler', nowIso: evening });

    expect(entries).toMatchObject([
      { manager: 'kubectl-create', time: morning },
      { manager: 'scaler', time: evening, fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ]);
    expect(JSON.stringify(entries[0])).not.toContain('f:replicas');
  });

  it('drops the entry of a manager that owns nothing any more', () => {
    const scaled = stored(
      withSpec(created, { replicas: 3 }),
      track({ before: tracked, after: withSpec(tracked, { replicas: 3 }), manager: 'a' }),
    );

    const entries = track({ before: scaled, after: withSpec(scaled, { replicas: 4 }), manager: 'b' });

    expect(entries.map((entry) => entry.manager)).toEqual(['b', 'kubectl-create']);
  });

  it('changes nothing, times included, for a write that changes nothing', () => {
    const before = tracked;

    const entries = track({ before, after: cloneJson(before), manager: 'somebody', nowIso: evening });

    expect(entries).toEqual((before.metadata as JsonObject).managedFields);
  });

  it('keeps writes through a subresource apart', () => {
    const after = { ...tracked, status: { replicas: 1 } };

    const entries = track({ before: tracked, after, subresource: 'status' });

    expect(entries).toMatchObject([
      { manager: 'kubectl-create', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      { manager: 'kubectl-create', fieldsV1: { 'f:status': { 'f:replicas': {} } }, subresource: 'status' },
    ]);
  });

  it('forgets removed fields for everybody', () => {
    const spec = without(tracked.spec as JsonObject, 'replicas');

    expect(JSON.stringify(track({ before: tracked, after: { ...tracked, spec }, manager: 'b' }))).not.toContain('f:replicas');
  });

  it('lets a client rewrite the list or clear it, and then stays silent', () => {
    const cleared = stored(tracked, []);

    expect(track({ before: tracked, after: cleared })).toEqual([]);
    expect(track({ before: cleared, after: withSpec(cleared, { replicas: 9 }) })).toEqual([]);
  });

  it('owns the maps of a custom resource themselves too', () => {
    const after = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { list: [1], inner: { x: 1 } } };

    const [entry] = track({ after, apiVersion: 'example.com/v1', typeSchema: deduced });

    expect(entry?.fieldsV1).toEqual({ 'f:spec': { '.': {}, 'f:inner': { '.': {}, 'f:x': {} }, 'f:list': {} } });
  });

  it('folds the oldest updaters together once there are more than ten', () => {
    let object = tracked;
    for (let writer = 0; writer < 14; writer += 1) {
      const labels = { ...((object.metadata as JsonObject).labels as JsonObject), [`l${writer}`]: 'x' };
      const after = { ...object, metadata: { ...(object.metadata as JsonObject), labels } };
      const nowIso = `2026-01-02T00:00:${String(writer).padStart(2, '0')}Z`;
      object = stored(after, track({ before: object, after, manager: `w${writer}`, nowIso }));
    }

    const entries = (object.metadata as JsonObject).managedFields as JsonObject[];

    expect(entries).toHaveLength(10);
    expect(entries[0]).toMatchObject({ manager: 'ancient-changes', operation: 'Update' });
  });
});
