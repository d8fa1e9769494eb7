import { Event, Lease } from '@elasti/operator-kit';
import type { KubeObject, ResourceDefinition } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';

const CoreEvent: ResourceDefinition = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

describe('leases and events', () => {
  const server = useServer();
  const leases = server.of(Lease);
  const events = server.docs(Event);
  const coreEvents = server.docs(CoreEvent);

  const regarding = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, namespace: server.namespace, uid: 'u-1' });
  const anEvent = (name: string, more: object = {}) => ({
    metadata: { name },
    eventTime: '2030-01-02T03:04:05.678901Z',
    reportingController: 'example.com/controller',
    reportingInstance: 'controller-1',
    action: 'Looking',
    reason: 'Seen',
    regarding: regarding(name),
    type: 'Normal',
    note: 'it was seen',
    ...more,
  });
  const aCoreEvent = (name: string, more: object = {}) => ({
    metadata: { name },
    involvedObject: regarding(name),
    reason: 'Seen',
    message: 'it was seen',
    type: 'Normal',
    source: { component: 'old', host: 'here' },
    firstTimestamp: '2030-01-02T03:04:05Z',
    lastTimestamp: '2030-01-02T03:04:06Z',
    count: 2,
    ...more,
  });

  it('keeps the times of a lease to the microsecond', async () => {
    const { body } = await leases.create({
      metadata: { name: 'times' },
      spec: {
        holderIdentity: 'me',
        acquireTime: '2030-01-02T03:04:05.000001Z',
        renewTime: '2030-01-02T03:04:05.120000Z',
        leaseDurationSeconds: 15,
      },
    });

    expect(body.spec).toMatchObject({ acquireTime: '2030-01-02T03:04:05.000001Z', renewTime: '2030-01-02T03:04:05.120000Z' });
  });

  it('refuses a time of a lease without its microseconds', async () => {
    const { code, status } = await leases.create({ metadata: { name: 'whole' }, spec: { renewTime: '2030-01-02T03:04:05Z' } });

    expect(code).toBe(400);
    expect(status.reason).toBe('BadRequest');
  });

  it('refuses a time that is none', async () => {
    const { code, status } = await leases.create({ metadata: { name: 'never' }, spec: { renewTime: 'soon' } });

    expect(code).toBe(400);
    expect(status.reason).toBe('BadRequest');
  });

  it('refuses a lease of no duration', async () => {
    const { code, status } = await leases.create({ metadata: { name: 'none' }, spec: { leaseDurationSeconds: 0 } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'spec.leaseDurationSeconds', reason: 'FieldValueInvalid' }]);
  });

  it('refuses fewer than no transitions', async () => {
    const { code, status } = await leases.create({ metadata: { name: 'back' }, spec: { leaseTransitions: -1 } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'spec.leaseTransitions' }]);
  });

  it('lets one of two candidates win a lease that both read', async () => {
    const read = await leases.given({ metadata: { name: 'raced' }, spec: { holderIdentity: '' } });

    const answers = await Promise.all(['a', 'b'].map((holderIdentity) => leases.replace('raced', { ...read, spec: { holderIdentity } })));

    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409]);
  });

  it('creates a lease by replacing it', async () => {
    const { code, body } = await leases.replace('put', { metadata: { name: 'put' }, spec: { holderIdentity: 'me' } });

    expect(code).toBe(201);
    expect(body.metadata.uid).toEqual(expect.any(String));
  });

  it('keeps an event with its microseconds', async () => {
    const { code, body } = await events.create(anEvent('kept'));

    expect(code).toBe(201);
    expect(body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      eventTime: '2030-01-02T03:04:05.678901Z',
      note: 'it was seen',
    });
  });

  it('shows an event in the words of the core group', async () => {
    await events.given(anEvent('translated'));

    const body = await coreEvents.read('translated');

    expect(body).toMatchObject({
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: { kind: 'ConfigMap', name: 'translated' },
      message: 'it was seen',
      reportingComponent: 'example.com/controller',
      reportingInstance: 'controller-1',
      eventTime: '2030-01-02T03:04:05.678901Z',
      firstTimestamp: null,
      lastTimestamp: null,
    });
    expect(body).not.toHaveProperty('note');
    expect(body).not.toHaveProperty('regarding');
  });

  it('shows an event of the core group in the new words', async () => {
    await coreEvents.given(aCoreEvent('old'));

    const body = await events.read('old');

    expect(body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'ConfigMap', name: 'old' },
      note: 'it was seen',
      deprecatedCount: 2,
      deprecatedFirstTimestamp: '2030-01-02T03:04:05Z',
      deprecatedLastTimestamp: '2030-01-02T03:04:06Z',
      deprecatedSource: { component: 'old', host: 'here' },
    });
    expect(body).not.toHaveProperty('involvedObject');
  });

  it('counts a series', async () => {
    await events.given(anEvent('series'));

    const { code, body } = await events.patch('series', 'merge', { series: { count: 2, lastObservedTime: '2030-01-02T03:05:00.000000Z' } });

    expect(code).toBe(200);
    expect(body.series).toEqual({ count: 2, lastObservedTime: '2030-01-02T03:05:00.000000Z' });
  });

  it.each(['reportingController', 'reportingInstance', 'action', 'reason'])('refuses an event without %s', async (field) => {
    const { code, status } = await events.create(anEvent('lacking', { [field]: '' }));

    expect(code).toBe(422);
    expect(status.details?.causes?.map((cause) => cause.field)).toContain(field);
  });

  it('refuses an event of a third type', async () => {
    const { code, status } = await events.create(anEvent('third', { type: 'Strange' }));

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'type' }]);
  });

  it('refuses to change what an event says', async () => {
    await events.given(anEvent('fixed'));

    const { code, status } = await events.patch('fixed', 'merge', { note: 'something else' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'message' }]);
  });

  it('refuses an event whose object lives in another namespace', async () => {
    const { code } = await coreEvents.create(aCoreEvent('abroad', { involvedObject: { ...regarding('abroad'), namespace: 'elsewhere' } }));

    expect(code).toBe(422);
  });

  it('selects events by the object they are about', async () => {
    await events.given(anEvent('about-1'));
    await events.given(anEvent('about-2'));

    const core = await coreEvents.names({ fieldSelector: 'involvedObject.name=about-2,involvedObject.kind=ConfigMap' });
    const current = succeeded(await events.list({ fieldSelector: 'regarding.name=about-1' })).items.map(
      (item: KubeObject) => item.metadata.name,
    );

    expect(core).toEqual(['about-2']);
    expect(current).toEqual(['about-1']);
  });

  it('selects events by reason and type', async () => {
    await events.given(anEvent('chosen', { reason: 'Unique', type: 'Warning' }));

    expect(await events.names({ fieldSelector: 'reason=Unique,type=Warning' })).toEqual(['chosen']);
  });
});
