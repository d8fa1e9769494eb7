import type { ElastiService } from '@elasti/api';
import { buildCrdCache } from './crd-cache';

function anElastiService(name: string, spec: Partial<ElastiService['spec']>): ElastiService {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const kind = { apiVersion: 'elasti.truefoundry.com/v1alpha1', kind: 'ElastiService' };
  return { ...kind, metadata: { namespace: 'shop', name }, spec: { scaleTargetRef, service: 'web', ...spec } };
}

describe('buildCrdCache', () => {
  it('names for each Service the ElastiService that speaks for it', () => {
    const [older, younger] = [anElastiService('older', {}), anElastiService('younger', { additionalServices: ['admin'] })];
    const forService = (_: string, service: string) => (service === 'web' ? older : younger);

    const { services } = buildCrdCache({ list: () => [younger, older], forService });

    expect(Object.entries(services).map(([service, { name }]) => [service, name])).toEqual([
      ['shop/web', 'older'],
      ['shop/admin', 'younger'],
    ]);
  });

  it.each([
    { headers: { 'X-Scope': 'hush' } },
    { headers: 'hush' },
    { serverAddress: 'https://hush:hush@prometheus' },
    { serverAddress: 'https://hush@prometheus/path' },
  ])('shows no credentials of %p', (metadata) => {
    const web = anElastiService('web', { triggers: [{ type: 'prometheus', metadata: { query: 'up', ...metadata } }] });

    const shown = buildCrdCache({ list: () => [web], forService: () => web });

    expect(JSON.stringify(shown)).not.toContain('hush');
    expect(JSON.stringify(shown)).toContain('"query":"up"');
    expect(JSON.stringify(web)).toContain('hush');
  });

  it('shows an address without credentials as it is', () => {
    const serverAddress = 'http://prometheus:9090';
    const web = anElastiService('web', { triggers: [{ type: 'prometheus', metadata: { serverAddress } }] });

    expect(buildCrdCache({ list: () => [web], forService: () => web }).services['shop/web']?.spec).toMatchObject({
      triggers: [{ metadata: { serverAddress } }],
    });
  });
});
