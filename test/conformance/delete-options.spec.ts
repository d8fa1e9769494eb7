import { ConfigMap, Service } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';

describe('the options of a deletion', () => {
  const server = useServer();
  const maps = server.of(ConfigMap);

  it('orphans when the query says so in the old way', async () => {
    await maps.given({ metadata: { name: 'old-way' } });

    const { code, body } = await maps.delete('old-way', undefined, { orphanDependents: true });

    expect(code).toBe(200);
    expect(body.metadata.finalizers).toEqual(['orphan']);
  });

  it('refuses the old way and the new one together', async () => {
    await maps.given({ metadata: { name: 'both-ways' } });

    const { code, status } = await maps.delete('both-ways', undefined, { orphanDependents: true, propagationPolicy: 'Orphan' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'propagationPolicy' }]);
  });

  it.each([
    ['in the query', undefined, { dryRun: 'Some' }],
    ['in the body', { dryRun: ['Some'] }, undefined],
  ])('deletes nothing for a dry run of an unknown kind %s', async (where, options, query) => {
    const name = where.replaceAll(' ', '-');
    await maps.given({ metadata: { name } });

    const { code, status } = await maps.delete(name, options, query);

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueNotSupported', field: 'dryRun' }]);
    expect((await maps.get(name)).code).toBe(200);
  });

  it('deletes no collection for a dry run of an unknown kind', async () => {
    await maps.given({ metadata: { name: 'one-of-many', labels: { many: 'yes' } } });

    const { code } = await maps.deleteAll({ labelSelector: 'many=yes', dryRun: 'Some' });

    expect(code).toBe(422);
    expect((await maps.get('one-of-many')).code).toBe(200);
  });

  it('asks only the body when there is one', async () => {
    await maps.given({ metadata: { name: 'body-first' } });

    const { code } = await maps.delete('body-first', { kind: 'DeleteOptions', apiVersion: 'v1' }, { dryRun: 'All' });

    expect(code).toBe(200);
    expect((await maps.get('body-first')).code).toBe(404);
  });

  it.each([
    ['another kind', { kind: 'Pod', apiVersion: 'v1' }, undefined],
    ['a grace period that is no number', { gracePeriodSeconds: 'soon' }, undefined],
    ['a grace period that is no number, in the query', undefined, { gracePeriodSeconds: 'soon' }],
  ])('refuses %s', async (what, options, query) => {
    const name = what.replaceAll(/[ ,]+/g, '-');
    await maps.given({ metadata: { name } });

    const { code, status } = await maps.delete(name, options, query);

    expect([code, status.reason]).toEqual([400, 'BadRequest']);
    expect((await maps.get(name)).code).toBe(200);
  });
});

describe('replacing a Service that is not there', () => {
  const server = useServer();
  const services = server.of(Service);

  it('makes it', async () => {
    const answer = await services.replace('made', { metadata: { name: 'made' }, spec: { ports: [{ port: 80 }] } });

    expect(answer.code).toBe(201);
    expect(succeeded(answer).metadata.uid).toBeDefined();
  });
});
