import { ConfigMap, Secret } from '@elasti/operator-kit';
import type { KubeObject } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, kindOf } from './objects';

interface Table {
  kind: string;
  apiVersion: string;
  metadata: Record<string, unknown>;
  columnDefinitions: { name: string; type: string; format: string; description: string; priority: number }[];
  rows: { cells: unknown[]; object: KubeObject & Record<string, unknown> }[];
}

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const metadataOnly = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const metadataLists = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

describe('tables and metadata alone', () => {
  const server = useServer();
  const configMaps = server.of(ConfigMap);
  const jobs = server.docs(kindOf(server.group, 'Task'));

  const read = async <T>(path: string, accept: string, query = {}) => succeeded(await server.wire.call<T>('GET', path, { accept, query }));

  beforeAll(async () => {
    const spec = {
      type: 'object',
      properties: { size: { type: 'integer' }, owner: { type: 'string' }, due: { type: 'string', format: 'date-time' } },
    };
    const additionalPrinterColumns = [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how big' },
      { name: 'Owner', type: 'string', jsonPath: '.spec.owner', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    await server.installCrd(aCrd(server.group, 'Task', { spec }, { additionalPrinterColumns }));
    await server.installCrd(aCrd(server.group, 'Plain', { spec }));
    await jobs.given({ metadata: { name: 'one', labels: { a: 'b' } }, spec: { size: 3, owner: 'me' } });
    await jobs.given({ metadata: { name: 'two' }, spec: {} });
    await configMaps.given({ metadata: { name: 'settings', labels: { a: 'b' } }, data: { x: '1', y: '2' } });
  });

  it('shows a list of a builtin kind as a table', async () => {
    const { kind, apiVersion, columnDefinitions, rows, metadata } = await read<Table>(configMaps.path(), table, { labelSelector: 'a=b' });

    expect({ kind, apiVersion }).toEqual({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(metadata.resourceVersion).toEqual(expect.any(String));
    expect(columnDefinitions.map(({ name, type }) => `${name} ${type}`)).toEqual(['Name string', 'Data string', 'Age string']);
    expect(rows.map(({ cells }) => cells)).toEqual([['settings', 2, expect.stringMatching(/^\d+s$/)]]);
  });

  it('shows one object as a table of one row', async () => {
    const { rows } = await read<Table>(configMaps.path('settings'), table);

    expect(rows).toHaveLength(1);
    expect(rows[0]?.cells[0]).toBe('settings');
  });

  it('puts the metadata of each object into its row', async () => {
    const { rows } = await read<Table>(configMaps.path('settings'), table);

    expect(rows[0]?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'settings', labels: { a: 'b' } },
    });
    expect(rows[0]?.object).not.toHaveProperty('data');
  });

  it('puts the whole object into its row when asked', async () => {
    const { rows } = await read<Table>(configMaps.path('settings'), table, { includeObject: 'Object' });

    expect(rows[0]?.object).toMatchObject({ kind: 'ConfigMap', data: { x: '1', y: '2' } });
  });

  it('leaves objects out of the rows when asked', async () => {
    const { rows } = await read<Table>(configMaps.path('settings'), table, { includeObject: 'None' });

    expect(rows[0]?.object ?? null).toBeNull();
  });

  it('shows the printer columns of a custom resource after its name', async () => {
    const { columnDefinitions } = await read<Table>(jobs.path(), table);

    expect(columnDefinitions.map(({ name, type, priority }) => ({ name, type, priority }))).toEqual([
      { name: 'Name', type: 'string', priority: 0 },
      { name: 'Size', type: 'integer', priority: 0 },
      { name: 'Owner', type: 'string', priority: 1 },
      { name: 'Age', type: 'date', priority: 0 },
    ]);
    expect(columnDefinitions[1]?.description).toBe('how big');
  });

  it('fills the cells of a custom resource from the paths, with null where there is nothing', async () => {
    const { rows } = await read<Table>(jobs.path(), table);

    expect(rows.map(({ cells }) => cells)).toEqual([
      ['one', 3, 'me', expect.stringMatching(/^\d+s$/)],
      ['two', null, null, expect.stringMatching(/^\d+s$/)],
    ]);
  });

  it('shows name and age of a custom resource without printer columns', async () => {
    const { columnDefinitions } = await read<Table>(server.of(kindOf(server.group, 'Plain')).path(), table);

    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Age']);
  });

  it('shows a page of a list as a table with its token', async () => {
    const { rows, metadata } = await read<Table>(jobs.path(), table, { limit: 1 });

    expect(rows).toHaveLength(1);
    expect(metadata.continue).toEqual(expect.any(String));
    expect(metadata.remainingItemCount).toBe(1);
  });

  it('shows each event of a watch as a table of one row', async () => {
    const watch = await server.wire.watch(jobs.path(), { accept: table, query: { fieldSelector: 'metadata.name=one' } });

    const { object } = await watch.first(({ type }) => type === 'ADDED');

    const { kind, rows } = object as unknown as Table;
    expect(kind).toBe('Table');
    expect(rows[0]?.cells.slice(0, 3)).toEqual(['one', 3, 'me']);
  });

  it('falls back to JSON when tables are only preferred', async () => {
    const { status } = await server.wire.call('GET', `/api/v1/namespaces/${server.namespace}/configmaps/none`, {
      accept: `${table},application/json`,
    });

    expect(status).toMatchObject({ kind: 'Status', code: 404 });
  });

  it('gives the metadata of one object alone', async () => {
    const body = await read(configMaps.path('settings'), metadataOnly);

    expect(body).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'settings' } });
    expect(body).not.toHaveProperty('data');
  });

  it('gives the metadata of a list alone', async () => {
    const body = await read<{ items: object[] }>(jobs.path(), metadataLists, { labelSelector: 'a=b' });

    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', items: [{ metadata: { name: 'one' } }] });
    expect(body.items[0]).not.toHaveProperty('spec');
  });

  it('gives the metadata of watched objects alone', async () => {
    const watch = await server.wire.watch(configMaps.path(), { accept: metadataOnly, query: { labelSelector: 'a=b' } });

    const { object } = await watch.seen('ADDED', 'settings');

    expect(object.kind).toBe('PartialObjectMetadata');
    expect(object).not.toHaveProperty('data');
  });

  it('refuses to answer in a form that it does not know', async () => {
    const { code, status } = await server.wire.call('GET', server.of(Secret).path(), { accept: 'text/csv' });

    expect(code).toBe(406);
    expect(status).toMatchObject({ reason: 'NotAcceptable' });
  });
});
