import { Lease, Secret } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';

describe('lists and their pages', () => {
  const server = useServer();
  const secrets = server.of(Secret);

  beforeAll(async () => {
    for (const name of ['s1', 's2', 's3', 's4', 's5']) await secrets.given({ metadata: { name, labels: { name } } });
  });

  it('lists in the order of names, with a version of the whole list', async () => {
    const list = succeeded(await secrets.list());

    expect(list).toMatchObject({ apiVersion: 'v1', kind: 'SecretList' });
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['s1', 's2', 's3', 's4', 's5']);
    expect(list.metadata).toEqual({ resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/) });
  });

  it('leaves the kind out of the items of a builtin list', async () => {
    const [item] = succeeded(await secrets.list({ limit: 1 })).items;

    expect(item).not.toHaveProperty('kind');
    expect(item).not.toHaveProperty('apiVersion');
  });

  it('lists nothing as an empty array', async () => {
    const list = succeeded(await secrets.list({ labelSelector: 'name=none' }));

    expect(list.items).toEqual([]);
  });

  it('lists a kind over all namespaces', async () => {
    const list = succeeded(await secrets.in().list({ fieldSelector: 'metadata.name=s3' }));

    expect(list.items.map(({ metadata }) => metadata.namespace)).toContain(server.namespace);
  });

  it('hands out a page, a token for the next and the number of what remains', async () => {
    const page = succeeded(await secrets.list({ limit: 2 }));

    expect(page.items.map(({ metadata }) => metadata.name)).toEqual(['s1', 's2']);
    expect(page.metadata.continue).toEqual(expect.any(String));
    expect(page.metadata.remainingItemCount).toBe(3);
  });

  it('goes through all pages without a gap or a repetition, all of one version', async () => {
    const names: (string | undefined)[] = [];
    const versions = new Set<string | undefined>();
    let token: string | undefined;
    do {
      const page = succeeded(await secrets.list({ limit: 2, continue: token }));
      names.push(...page.items.map(({ metadata }) => metadata.name));
      versions.add(page.metadata.resourceVersion);
      token = page.metadata.continue;
    } while (token);

    expect(names).toEqual(['s1', 's2', 's3', 's4', 's5']);
    expect(versions.size).toBe(1);
  });

  it('ends the last page without a token', async () => {
    const first = succeeded(await secrets.list({ limit: 4 }));

    const last = succeeded(await secrets.list({ limit: 4, continue: first.metadata.continue }));

    expect(last.items).toHaveLength(1);
    expect(last.metadata).not.toHaveProperty('continue');
    expect(last.metadata).not.toHaveProperty('remainingItemCount');
  });

  it('shows on later pages the state that the first page was taken from', async () => {
    const first = succeeded(await secrets.list({ limit: 3 }));
    await secrets.given({ metadata: { name: 's4-later' } });

    const second = succeeded(await secrets.list({ limit: 5, continue: first.metadata.continue }));
    await secrets.delete('s4-later');

    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['s4', 's5']);
  });

  it('does not count what remains of a list with a selector', async () => {
    const page = succeeded(await secrets.list({ limit: 1, labelSelector: 'name in (s1, s5)' }));

    expect(page.items.map(({ metadata }) => metadata.name)).toEqual(['s1']);
    expect(page.metadata.continue).toEqual(expect.any(String));
    expect(page.metadata).not.toHaveProperty('remainingItemCount');
  });

  it('continues a list with a selector to the matches of the later pages', async () => {
    const first = succeeded(await secrets.list({ limit: 1, labelSelector: 'name in (s1, s5)' }));

    const second = succeeded(await secrets.list({ limit: 1, labelSelector: 'name in (s1, s5)', continue: first.metadata.continue }));

    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['s5']);
  });

  it('refuses a token that is not one of its own', async () => {
    const { code, status } = await secrets.list({ limit: 2, continue: 'nonsense' });

    expect(code).toBe(400);
    expect(status).toMatchObject({ reason: 'BadRequest', message: expect.stringContaining('continue key is not valid') });
  });

  it('refuses a token together with a version', async () => {
    const { metadata } = succeeded(await secrets.list({ limit: 2 }));

    const { code } = await secrets.list({ limit: 2, continue: metadata.continue, resourceVersion: metadata.resourceVersion });

    expect(code).toBe(400);
  });

  it('lists the state of an exact version', async () => {
    const { metadata } = await server.of(Lease).given({ metadata: { name: 'early' } });
    await server.of(Lease).given({ metadata: { name: 'late' } });

    const list = succeeded(await server.of(Lease).list({ resourceVersion: metadata.resourceVersion, resourceVersionMatch: 'Exact' }));

    expect(list.items.map((item) => item.metadata.name)).toEqual(['early']);
    expect(list.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('lists something not older than a version', async () => {
    const { metadata } = await secrets.given({ metadata: { name: 's6' } });

    const list = succeeded(await secrets.list({ resourceVersion: metadata.resourceVersion, resourceVersionMatch: 'NotOlderThan' }));
    await secrets.delete('s6');

    expect(list.items.map((item) => item.metadata.name)).toContain('s6');
    expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
  });

  it('refuses a resourceVersionMatch without a version', async () => {
    const { code, status } = await secrets.list({ resourceVersionMatch: 'Exact' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueForbidden', field: 'resourceVersionMatch' }]);
  });

  it('refuses a version that is no number', async () => {
    const { code } = await secrets.list({ resourceVersion: 'yesterday' });

    expect(code).toBe(400);
  });

  it('answers that a version of the future is too large for now, and to try again', async () => {
    const { code, status } = await secrets.list({ resourceVersion: '9000000000000', resourceVersionMatch: 'NotOlderThan' });

    expect(code).toBe(504);
    expect(status).toMatchObject({
      reason: 'Timeout',
      details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
    });
    expect(status.details?.retryAfterSeconds).toBe(1);
  });
});
