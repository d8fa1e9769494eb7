import { EndpointSlice, StatefulSet } from '@elasti/operator-kit';
import { useServer } from './harness';
import { aDeployment } from './objects';

describe('workload objects', () => {
  const server = useServer();
  const slices = server.docs(EndpointSlice);
  const statefulSets = server.docs(StatefulSet);

  it('a slice without endpoints and ports says so with null', async () => {
    const { code, body } = await slices.create({ metadata: { name: 'empty' }, addressType: 'IPv4' });

    expect([code, body]).toMatchObject([201, { endpoints: null, ports: null }]);
  });

  it("a StatefulSet's containers may mount what its claims will be", async () => {
    const { spec } = aDeployment('claims') as unknown as { spec: { selector: object; template: { metadata: object } } };
    const container = { name: 'main', image: 'nothing', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };

    const { code } = await statefulSets.create({
      metadata: { name: 'claims' },
      spec: {
        replicas: 0,
        selector: spec.selector,
        template: { metadata: spec.template.metadata, spec: { containers: [container] } },
        volumeClaimTemplates: [claim],
      },
    });

    expect(code).toBe(201);
  });
});
