import {
  AlreadyExistsError,
  ConfigMap,
  ConflictError,
  Deployment,
  GoneError,
  InvalidError,
  MethodNotAllowedError,
  NotFoundError,
  Secret,
  retryOnConflict,
  updateOnConflict,
} from '@elasti/operator-kit';
import type { KubeClient, WatchEvent } from '@elasti/operator-kit';
import { eventually } from './eventually';
import { useServer } from './harness';
import { aCrd, aDeployment, kindOf } from './objects';

describe("the kit's client", () => {
  const server = useServer();
  const { namespace } = server;
  let client: KubeClient;

  const ref = (name: string) => ({ namespace, name });
  const aConfigMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name },
    data,
  });

  beforeAll(() => {
    client = server.newClient();
  });

  it('creates, reads, replaces and deletes', async () => {
    const made = await client.create(ConfigMap, aConfigMap('life', { a: '1' }));
    const replaced = await client.replace(ConfigMap, { ...made, data: { a: '2' } });
    const read = await client.get(ConfigMap, ref('life'));
    const deleted = await client.delete(ConfigMap, ref('life'));

    expect(read).toEqual(replaced);
    expect(deleted).toBeUndefined();
    expect(await client.find(ConfigMap, ref('life'))).toBeUndefined();
  });

  it('answers a deletion with the object while a finalizer holds it', async () => {
    const object = aConfigMap('held');
    object.metadata.finalizers = ['conformance.example.com/hold'];
    await client.create(ConfigMap, object);

    const held = await client.delete(ConfigMap, ref('held'));
    await client.patch(ConfigMap, ref('held'), { type: 'merge', body: { metadata: { finalizers: null } } });

    expect(held?.metadata.deletionTimestamp).toBeDefined();
  });

  it('throws NotFoundError for what is not there', async () => {
    await expect(client.get(ConfigMap, ref('nowhere'))).rejects.toThrow(NotFoundError);
  });

  it('throws AlreadyExistsError for a name that is taken', async () => {
    await client.create(ConfigMap, aConfigMap('taken'));

    await expect(client.create(ConfigMap, aConfigMap('taken'))).rejects.toThrow(AlreadyExistsError);
  });

  it('throws ConflictError for a version that is out of date', async () => {
    const stale = await client.create(ConfigMap, aConfigMap('stale'));
    await client.replace(ConfigMap, { ...stale, data: { a: '1' } });

    await expect(client.replace(ConfigMap, { ...stale, data: { a: '2' } })).rejects.toThrow(ConflictError);
  });

  it('throws InvalidError that names the fields', async () => {
    const error = await client.create(ConfigMap, aConfigMap('Bad')).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(InvalidError);
    expect((error as InvalidError).causes).toMatchObject([{ field: 'metadata.name' }]);
  });

  it('throws MethodNotAllowedError for what cannot be done there', async () => {
    await expect(client.raw('PUT', `/api/v1/namespaces/${namespace}/configmaps`, {})).rejects.toThrow(MethodNotAllowedError);
  });

  it('throws GoneError from a watch of a forgotten version', async () => {
    // A kind that came after version 1: a server that has just begun still knows that version of the others.
    await server.installCrd(aCrd(server.group, 'Latecomer', { spec: { type: 'object' } }));
    const latecomer = kindOf(server.group, 'Latecomer');
    const watching = async () => {
      for await (const event of client.watch(latecomer, { namespace, resourceVersion: '1' })) expect(event).toBeUndefined();
    };

    await expect(watching()).rejects.toThrow(GoneError);
  });

  it('gives every item of a list its kind', async () => {
    await client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'typed' } });

    const { items } = await client.list(Secret, { namespace });

    expect(items).toMatchObject([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'typed' } }]);
  });

  it('reads a list page by page', async () => {
    for (const name of ['p1', 'p2', 'p3']) {
      await client.create(ConfigMap, { ...aConfigMap(name), metadata: { namespace, name, labels: { case: 'pages' } } });
    }
    const names: (string | undefined)[] = [];

    for await (const { metadata } of client.listAll(ConfigMap, { namespace, labelSelector: 'case=pages', pageSize: 2 }))
      names.push(metadata.name);

    expect(names).toEqual(['p1', 'p2', 'p3']);
  });

  it('watches from a version on, until the loop is left', async () => {
    const { metadata } = await client.list(ConfigMap, { namespace });
    await client.create(ConfigMap, aConfigMap('watched'));
    await client.delete(ConfigMap, ref('watched'));
    const seen: WatchEvent<ConfigMap>['type'][] = [];

    for await (const { type } of client.watch(ConfigMap, { namespace, resourceVersion: metadata.resourceVersion })) {
      seen.push(type);
      if (type === 'DELETED') break;
    }

    expect(seen).toEqual(['ADDED', 'DELETED']);
  });

  it('applies and meets the conflicts of apply', async () => {
    await client.apply(ConfigMap, aConfigMap('applied', { a: '1' }), { fieldManager: 'alice' });

    const refused = client.apply(ConfigMap, aConfigMap('applied', { a: '2' }), { fieldManager: 'bob' });
    await expect(refused).rejects.toThrow(ConflictError);
    const forced = await client.apply(ConfigMap, aConfigMap('applied', { a: '2' }), { fieldManager: 'bob', force: true });

    expect(forced.data).toEqual({ a: '2' });
  });

  it('scales', async () => {
    await server.of(Deployment).given(aDeployment('scaled'));

    // A controller may write to the Deployment between the two.
    const scaled = await retryOnConflict(
      () => client.getScale(Deployment, ref('scaled')),
      (scale) => ({ ...scale, spec: { replicas: 2 } }),
      (scale) => client.replaceScale(Deployment, ref('scaled'), scale),
    );

    expect(scaled.spec.replicas).toBe(2);
  });

  it('loses no change when several write at once', async () => {
    await client.create(ConfigMap, aConfigMap('counter', { n: '0' }));
    const increment = () =>
      updateOnConflict(client, ConfigMap, ref('counter'), (fresh) => ({ ...fresh, data: { n: String(Number(fresh.data?.n) + 1) } }));

    await Promise.all([increment(), increment(), increment()]);

    expect((await client.get(ConfigMap, ref('counter'))).data).toEqual({ n: '3' });
  });

  it('deletes only under its preconditions', async () => {
    const { metadata } = await client.create(ConfigMap, aConfigMap('guarded'));

    await expect(client.delete(ConfigMap, ref('guarded'), { preconditions: { uid: 'other' } })).rejects.toThrow(ConflictError);
    await client.delete(ConfigMap, ref('guarded'), { preconditions: { uid: metadata.uid } });

    expect(await client.find(ConfigMap, ref('guarded'))).toBeUndefined();
  });

  it('finds out how a kind is addressed that it never heard of', async () => {
    await server.installCrd(aCrd(server.group, 'Novelty', {}));

    const definition = await eventually(() => client.discovery().resourceFor(`${server.group}/v1`, 'Novelty'));

    expect(definition).toEqual({ group: server.group, version: 'v1', kind: 'Novelty', plural: 'noveltys', namespaced: true });
  });
});
