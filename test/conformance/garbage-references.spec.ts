import { ConfigMap } from '@elasti/operator-kit';
import { eventually } from './eventually';
import { useServer } from './harness';

describe('whom an owner reference means', () => {
  const server = useServer();
  const maps = server.of(ConfigMap);
  const gone = (name: string) => eventually(async () => expect((await maps.get(name)).code).toBe(404));

  it.each([
    ['name', { kind: 'ConfigMap', name: 'another' }],
    ['kind', { kind: 'Secret', name: 'owner-by-kind' }],
  ])('nobody, when the uid is right and the %s is not', async (field, reference) => {
    const { metadata } = await maps.given({ metadata: { name: `owner-by-${field}` } });
    const ownerReferences = [{ apiVersion: 'v1', ...reference, uid: metadata.uid ?? '' }];

    await maps.given({ metadata: { name: `owned-by-${field}`, ownerReferences } });

    await gone(`owned-by-${field}`);
  });

  it('perhaps somebody, when its kind is not served', async () => {
    const unknown = [{ apiVersion: 'nowhere.example.com/v1', kind: 'Unknown', name: 'x', uid: 'x' }];
    const missing = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y' }];
    await maps.given({ metadata: { name: 'kept', ownerReferences: unknown } });

    await maps.given({ metadata: { name: 'collected', ownerReferences: missing } });
    await gone('collected');

    expect((await maps.get('kept')).code).toBe(200);
  });
});
