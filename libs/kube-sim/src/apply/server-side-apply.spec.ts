import fc from 'fast-check';
import { at, builtinSchema, textAt } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import { ApplyConflict, ApplySchemaError } from './apply.errors';
import { serverSideApply } from './server-side-apply';
import type { ApplyRequest } from './server-side-apply';
import { trackUpdate } from './track-update';

const typeSchema = builtinSchema('apps', 'v1', 'Deployment');
const morning = '2026-01-01T08:00:00Z';
const evening = '2026-01-01T20:00:00Z';

function deployment(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', ...metadata }, spec };
}

function apply(live: JsonObject | undefined, config: JsonObject, manager: string, more: Partial<ApplyRequest> = {}): JsonObject {
  return serverSideApply({ live, config, manager, force: false, apiVersion: 'apps/v1', typeSchema, nowIso: morning, ...more });
}

function update(before: JsonObject, after: JsonObject, manager: string): JsonObject {
  const managedFields = trackUpdate({ before, after, manager, apiVersion: 'apps/v1', typeSchema, nowIso: morning });
  return { ...after, metadata: { ...(after.metadata as JsonObject), managedFields } };
}

function container(name: string, fields: JsonObject = {}): JsonObject {
  return { name, ...fields };
}

function withContainers(...containers: JsonObject[]): JsonObject {
  return deployment({ template: { spec: { containers } } });
}

function containersOf(object: JsonObject): JsonValue | undefined {
  return at(object, 'spec', 'template', 'spec', 'containers');
}

function ownedBy(object: JsonObject, manager: string): JsonValue | undefined {
  const entries = at(object, 'metadata', 'managedFields') as JsonObject[];
  return entries.find((entry) => entry.manager === manager)?.fieldsV1;
}

function conflictOf(act: () => unknown): ApplyConflict {
  try {
    act();
  } catch (error) {
    if (error instanceof ApplyConflict) return error;
    throw error;
  }
  throw new Error('there was no conflict');
}

describe('serverSideApply', () => {
  it('records what the manager stated, as the API server writes it', () => {
    const config = deployment(
      {
        replicas: 0,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [container('web', { image: 'nginx:1.2', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] })],
          },
        },
      },
      { namespace: 'default', labels: { app: 'web' } },
    );

    const applied = apply(undefined, config, 'kubectl');

    expect(at(applied, 'metadata', 'managedFields')).toEqual([
      {
        manager: 'kubectl',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: morning,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:replicas': {},
            'f:selector': {},
            'f:template': {
              'f:metadata': { 'f:labels': { 'f:app': {} } },
              'f:spec': {
                'f:containers': {
                  'k:{"name":"web"}': {
                    '.': {},
                    'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                    'f:image': {},
                    'f:name': {},
                    'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
                  },
                },
              },
            },
          },
        },
      },
    ]);
  });

  it("refuses to change another manager's field and says whose it is", () => {
    const live = apply(undefined, deployment({ replicas: 1 }), 'one');

    const conflict = conflictOf(() => apply(live, deployment({ replicas: 2 }), 'two'));

    expect(conflict.message).toBe('Apply failed with 1 conflict: conflict with "one": .spec.replicas');
    expect(conflict.causes).toEqual([{ manager: 'one', field: '.spec.replicas', message: 'conflict with "one"' }]);
  });

  it('names the version of an updater and lists several conflicts by owner', () => {
    const start = apply(undefined, deployment({ minReadySeconds: 1 }), 'one');
    const live = update(start, { ...deployment({ minReadySeconds: 1, replicas: 3 }), metadata: at(start, 'metadata') ?? {} }, 'kubectl');

    const conflict = conflictOf(() => apply(live, deployment({ minReadySeconds: 2, replicas: 5 }), 'two'));

    expect(conflict.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.minReadySeconds\nconflicts with "kubectl" using apps/v1:\n- .spec.replicas',
    );
  });

  it('takes a field over when forced, and the other manager loses it', () => {
    const live = apply(undefined, deployment({ replicas: 1, paused: true }), 'one');

    const taken = apply(live, deployment({ replicas: 2 }), 'two', { force: true });

    expect(at(taken, 'spec')).toEqual({ replicas: 2, paused: true });
    expect(ownedBy(taken, 'one')).toEqual({ 'f:spec': { 'f:paused': {} } });
    expect(ownedBy(taken, 'two')).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });

  it('shares a field that both managers set to the same value, until the last of them lets go', () => {
    const shared = apply(apply(undefined, deployment({ replicas: 1 }), 'one'), deployment({ replicas: 1 }), 'two');

    const oneLeft = apply(shared, deployment({}), 'one');
    const bothLeft = apply(oneLeft, deployment({}), 'two');

    expect(at(oneLeft, 'spec', 'replicas')).toBe(1);
    expect(at(bothLeft, 'spec', 'replicas')).toBeUndefined();
  });

  it('removes a field that its manager no longer states', () => {
    const live = apply(undefined, deployment({ replicas: 1, paused: true }, { labels: { a: '1', b: '2' } }), 'one');

    const applied = apply(live, deployment({ replicas: 1 }, { labels: { b: '2' } }), 'one');

    expect(applied).toMatchObject({ spec: { replicas: 1 }, metadata: { labels: { b: '2' } } });
    expect(at(applied, 'spec', 'paused')).toBeUndefined();
    expect(at(applied, 'metadata', 'labels', 'a')).toBeUndefined();
  });

  it('merges keyed lists item by item and keeps the items of others', () => {
    const live = apply(undefined, withContainers(container('a', { image: 'a:1' })), 'one');

    const both = apply(live, withContainers(container('b', { image: 'b:1' })), 'two');
    const alone = apply(both, withContainers(), 'one');

    expect(containersOf(both)).toEqual([container('a', { image: 'a:1' }), container('b', { image: 'b:1' })]);
    expect(containersOf(alone)).toEqual([container('b', { image: 'b:1' })]);
  });

  it('orders its own items as configured and leaves the others in their place', () => {
    const live = apply(undefined, withContainers(container('a'), container('b'), container('c')), 'one');
    const mixed = apply(live, withContainers(container('x')), 'two');

    const reordered = apply(mixed, withContainers(container('c'), container('a'), container('b')), 'one');

    expect(containersOf(reordered)).toEqual([container('c'), container('x'), container('a'), container('b')]);
  });

  it('merges sets by value', () => {
    const live = apply(undefined, deployment({}, { finalizers: ['a', 'b'] }), 'one');

    const added = apply(live, deployment({}, { finalizers: ['c'] }), 'two');
    const removed = apply(added, deployment({}, { finalizers: ['b'] }), 'one');

    expect(at(added, 'metadata', 'finalizers')).toEqual(['a', 'b', 'c']);
    expect(at(removed, 'metadata', 'finalizers')).toEqual(['b', 'c']);
  });

  it('owns atomic maps and lists whole', () => {
    const live = apply(undefined, deployment({ selector: { matchLabels: { a: '1' } } }), 'one');

    const conflict = conflictOf(() => apply(live, deployment({ selector: { matchLabels: { b: '1' } } }), 'two'));

    expect(conflict.causes.map(({ field }) => field)).toEqual(['.spec.selector']);
  });

  it('keeps what the status endpoint wrote apart from what the main one wrote', () => {
    const live = apply(undefined, deployment({ replicas: 1 }), 'one');
    const status = { ...deployment({}), status: { replicas: 1 } };

    const applied = apply(live, status, 'one', { subresource: 'status', ignoredFields: ['spec'] });

    expect(at(applied, 'spec', 'replicas')).toBe(1);
    expect((at(applied, 'metadata', 'managedFields') as JsonObject[]).map((entry) => entry.subresource)).toEqual([undefined, 'status']);
  });

  it('neither merges nor owns fields that the endpoint never writes', () => {
    const applied = apply(undefined, { ...deployment({ replicas: 1 }), status: { replicas: 9 } }, 'one', { ignoredFields: ['status'] });

    expect(at(applied, 'status')).toBeUndefined();
    expect(ownedBy(applied, 'one')).toEqual({ 'f:spec': { 'f:replicas': {} } });
  });

  it('changes nothing, times included, when the same configuration comes again', () => {
    const live = apply(undefined, deployment({ replicas: 1 }), 'one');

    expect(apply(live, deployment({ replicas: 1 }), 'one', { nowIso: evening })).toEqual(live);
  });

  it('treats an untracked object as owned by whoever made it before', () => {
    const conflict = conflictOf(() => apply(deployment({ replicas: 1 }), deployment({ replicas: 2 }), 'one'));

    expect(conflict.message).toContain('conflict with "before-first-apply" using apps/v1: .spec.replicas');
  });

  it('lets kubectl take over what it applied from the client, and keeps its annotation true', () => {
    const config = deployment({ replicas: 1 });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(config) };
    const created = deployment({ replicas: 1 }, { annotations });
    const live = update(deployment({}), created, 'kubectl-client-side-apply');

    const applied = apply(live, deployment({ replicas: 2 }), 'kubectl');

    expect(at(applied, 'spec', 'replicas')).toBe(2);
    expect(JSON.parse(textAt(applied, 'metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration'))).toEqual(
      deployment({ replicas: 2 }),
    );
  });

  it.each([
    [deployment({ replicaz: 1 }), '.spec.replicaz: field not declared in schema'],
    [deployment({ replicas: 'many' }), '.spec.replicas: expected numeric (int or float), got string'],
    [withContainers(container('a'), container('a')), '.spec.template.spec.containers: duplicate entries for key [name="a"]'],
    [
      withContainers({ image: 'x' }),
      '.spec.template.spec.containers: element 0: associative list with keys has an element that omits all key',
    ],
  ])('refuses a configuration that does not fit: %j', (config, problem) => {
    expect(() => apply(undefined, config, 'one')).toThrow(ApplySchemaError);
    expect(() => apply(undefined, config, 'one')).toThrow(problem);
  });
});

describe('ownership, whatever is applied', () => {
  const someContainer = fc.record(
    { name: fc.constantFrom('a', 'b', 'c'), image: fc.constantFrom('x', 'y'), args: fc.array(fc.constantFrom('1', '2'), { maxLength: 2 }) },
    { requiredKeys: ['name'] },
  );
  const someConfig = fc
    .record(
      {
        replicas: fc.integer({ min: 0, max: 2 }),
        labels: fc.dictionary(fc.constantFrom('p', 'q'), fc.constantFrom('1', '2')),
        finalizers: fc.uniqueArray(fc.constantFrom('f1', 'f2', 'f3'), { minLength: 1 }),
        containers: fc.uniqueArray(someContainer, { selector: ({ name }) => name, minLength: 1 }),
      },
      { requiredKeys: [] },
    )
    .map(({ replicas, labels, finalizers, containers }) =>
      deployment(
        {
          ...(replicas === undefined ? {} : { replicas }),
          ...(containers === undefined ? {} : { template: { spec: { containers } } }),
        },
        { ...(labels === undefined ? {} : { labels }), ...(finalizers === undefined ? {} : { finalizers }) },
      ),
    );

  it('changes nothing when any configuration is applied twice', () => {
    fc.assert(
      fc.property(someConfig, someConfig, (theirs, ours) => {
        const live = apply(undefined, theirs, 'one');
        const once = apply(live, ours, 'two', { force: true });

        expect(apply(once, ours, 'two', { nowIso: evening })).toEqual(once);
      }),
    );
  });

  it('leaves only what others own when a manager gives everything up', () => {
    fc.assert(
      fc.property(someConfig, someConfig, (theirs, ours) => {
        const alone = apply(undefined, theirs, 'one');
        const both = apply(alone, ours, 'two', { force: true });

        const left = apply(both, deployment({}), 'two');
        const gone = apply(left, deployment({}), 'one');

        expect(ownedBy(left, 'two')).toEqual({ 'f:spec': {} });
        expect(gone).toMatchObject({ metadata: { name: 'web' } });
        expect(Object.keys(at(gone, 'metadata') as JsonObject).sort()).toEqual(['managedFields', 'name']);
        expect(at(gone, 'spec') ?? {}).toEqual({});
      }),
    );
  });

  it('never has a conflict for the only manager, and then holds exactly what it stated last', () => {
    fc.assert(
      fc.property(fc.array(someConfig, { minLength: 1, maxLength: 4 }), (configs) => {
        const last = configs.reduce<JsonObject | undefined>((live, config) => apply(live, config, 'one'), undefined);

        const fresh = apply(undefined, configs.at(-1) ?? {}, 'one');

        expect(ownedBy(last ?? {}, 'one')).toEqual(ownedBy(fresh, 'one'));
      }),
    );
  });
});
