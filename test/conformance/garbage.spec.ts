import { ConfigMap } from '@elasti/operator-kit';
import type { OwnerReference } from '@elasti/operator-kit';
import { eventually } from './eventually';
import { useServer } from './harness';

const hold = 'conformance.example.com/hold';

// Owners and dependents are of a builtin kind: a real garbage collector needs half a minute to hear of a new one.
describe('owners and garbage', () => {
  const server = useServer();
  const configMaps = server.of(ConfigMap);

  const reference = (owner: ConfigMap, more: Partial<OwnerReference> = {}): OwnerReference => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
    ...more,
  });
  const given = (name: string, ...ownerReferences: OwnerReference[]) => configMaps.given({ metadata: { name, ownerReferences } });
  const gone = (name: string) => eventually(async () => expect((await configMaps.get(name)).code).toBe(404));

  it('deletes the dependents after their owner when deletion is in the background', async () => {
    const owner = await given('bg-owner');
    await given('bg-child', reference(owner));

    const { code } = await configMaps.delete('bg-owner', { propagationPolicy: 'Background' });

    expect(code).toBe(200);
    expect((await configMaps.get('bg-owner')).code).toBe(404);
    await gone('bg-child');
  });

  it('deletes the dependents of dependents', async () => {
    const owner = await given('line-1');
    const child = await given('line-2', reference(owner));
    await given('line-3', reference(child));

    await configMaps.delete('line-1', { propagationPolicy: 'Background' });

    await gone('line-2');
    await gone('line-3');
  });

  it('holds the owner until its blocking dependents are gone when deletion is in the foreground', async () => {
    const owner = await given('fg-owner');
    await configMaps.given({
      metadata: { name: 'fg-child', finalizers: [hold], ownerReferences: [reference(owner, { blockOwnerDeletion: true })] },
    });

    const { body } = await configMaps.delete('fg-owner', { propagationPolicy: 'Foreground' });
    await eventually(async () => expect((await configMaps.read('fg-child')).metadata.deletionTimestamp).toBeDefined());
    const waiting = await configMaps.get('fg-owner');
    await configMaps.patch('fg-child', 'merge', { metadata: { finalizers: null } });

    expect(body.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(body.metadata.deletionTimestamp).toBeDefined();
    expect(waiting.code).toBe(200);
    await gone('fg-child');
    await gone('fg-owner');
  });

  it('does not wait in the foreground for dependents that do not block', async () => {
    const owner = await given('loose-owner');
    await configMaps.given({ metadata: { name: 'loose-child', finalizers: [hold], ownerReferences: [reference(owner)] } });

    await configMaps.delete('loose-owner', { propagationPolicy: 'Foreground' });

    await gone('loose-owner');
    await configMaps.patch('loose-child', 'merge', { metadata: { finalizers: null } });
    await gone('loose-child');
  });

  it('sets the dependents free when they are to be orphaned', async () => {
    const owner = await given('orphan-owner');
    await given('orphan-child', reference(owner));
    // The collector must have seen the child: it can only orphan what it knows.
    await eventually(async () => expect((await configMaps.get('orphan-child')).code).toBe(200));

    const { body } = await configMaps.delete('orphan-owner', { propagationPolicy: 'Orphan' });

    expect(body.metadata.finalizers).toEqual(['orphan']);
    await gone('orphan-owner');
    const child = await configMaps.read('orphan-child');
    expect(child.metadata).not.toHaveProperty('ownerReferences');
    expect(child.metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('keeps a dependent until its last owner is gone', async () => {
    const one = await given('two-one');
    const two = await given('two-two');
    await given('two-child', reference(one), reference(two));

    await configMaps.delete('two-one', { propagationPolicy: 'Background' });
    await eventually(async () => expect((await configMaps.read('two-child')).metadata.ownerReferences).toEqual([reference(two)]));
    await configMaps.delete('two-two', { propagationPolicy: 'Background' });

    await gone('two-child');
  });

  it('collects an object whose owner never was', async () => {
    await given('foundling', { apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: '00000000-0000-0000-0000-000000000001' });

    await gone('foundling');
  });

  it('collects an object whose owner was replaced by another of the same name', async () => {
    const owner = await given('namesake');
    await given('namesake-child', { ...reference(owner), uid: '00000000-0000-0000-0000-000000000002' });

    await gone('namesake-child');
    expect((await configMaps.get('namesake')).code).toBe(200);
  });

  it('leaves an object alone whose owner lives', async () => {
    const owner = await given('alive');
    await given('kept', reference(owner));
    await given('witness', { ...reference(owner), uid: '00000000-0000-0000-0000-000000000003' });

    await gone('witness');

    expect((await configMaps.get('kept')).code).toBe(200);
  });

  it('refuses a second controller', async () => {
    const one = await given('controller-1');
    const two = await given('controller-2');

    const { code, status } = await configMaps.create({
      metadata: { name: 'torn', ownerReferences: [reference(one, { controller: true }), reference(two, { controller: true })] },
    });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'metadata.ownerReferences' }]);
  });

  it('refuses an owner without a uid', async () => {
    const { code, status } = await configMaps.create({
      metadata: { name: 'vague', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '' }] },
    });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'metadata.ownerReferences.uid' }]);
  });

  it('refuses a propagation policy that it does not know', async () => {
    await given('strange');

    const { code, status } = await configMaps.delete('strange', { propagationPolicy: 'Sideways' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'propagationPolicy' }]);
  });
});
