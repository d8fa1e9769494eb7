import { ConfigMap, Deployment, Service } from '@elasti/operator-kit';
import { useServer } from './harness';

interface Container {
  name: string;
  image: string;
  env?: { name: string; value?: string }[];
  ports?: { containerPort: number; name?: string; protocol: string }[];
}

describe('strategic merge patches', () => {
  const server = useServer();
  const deployments = server.docs(Deployment);

  const given = async (name: string, containers: object[], more: object = {}) => {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers, ...more } };
    await deployments.given({ metadata: { name }, spec: { replicas: 0, paused: true, selector: { matchLabels: labels }, template } });
  };
  const patchPod = async (name: string, spec: object) => {
    const { code, body } = await deployments.patch(name, 'strategic', { spec: { template: { spec } } });
    expect(code).toBe(200);
    return (body as unknown as { spec: { template: { spec: Record<string, unknown> & { containers: Container[] } } } }).spec.template.spec;
  };
  const web = { name: 'web', image: 'web:1' };
  const log = { name: 'log', image: 'log:1' };

  it('merges containers by their names', async () => {
    await given('by-name', [web, log]);

    const { containers } = await patchPod('by-name', { containers: [{ name: 'log', image: 'log:2' }] });

    expect(containers.map(({ name, image }) => `${name} ${image}`).sort()).toEqual(['log log:2', 'web web:1']);
  });

  it('adds a container of a new name', async () => {
    await given('added', [web]);

    const { containers } = await patchPod('added', { containers: [log] });

    expect(containers.map(({ name }) => name).sort()).toEqual(['log', 'web']);
  });

  it('deletes a list item that $patch: delete names', async () => {
    await given('deleted', [web, log]);

    const { containers } = await patchPod('deleted', { containers: [{ $patch: 'delete', name: 'log' }] });

    expect(containers.map(({ name }) => name)).toEqual(['web']);
  });

  it('replaces a list under $patch: replace', async () => {
    await given('replaced', [web, log]);

    const { containers } = await patchPod('replaced', { containers: [{ $patch: 'replace' }, { name: 'only', image: 'only:1' }] });

    expect(containers.map(({ name }) => name)).toEqual(['only']);
  });

  it('replaces a map under $patch: replace', async () => {
    const configMaps = server.of(ConfigMap);
    await configMaps.given({ metadata: { name: 'map' }, data: { a: '1', b: '2' } });

    const { body } = await configMaps.patch('map', 'strategic', { data: { $patch: 'replace', c: '3' } });

    expect(body.data).toEqual({ c: '3' });
  });

  it('merges the environment by name within a container merged by name', async () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ];
    await given('nested', [{ ...web, env }]);

    const { containers } = await patchPod('nested', {
      containers: [
        {
          name: 'web',
          env: [
            { name: 'B', value: '3' },
            { name: 'C', value: '4' },
            { name: 'A', $patch: 'delete' },
          ],
        },
      ],
    });

    expect(containers[0]?.env?.map(({ name, value }) => `${name}=${value ?? ''}`).sort()).toEqual(['B=3', 'C=4']);
  });

  it('merges the ports of a container by their numbers', async () => {
    await given('ports', [{ ...web, ports: [{ containerPort: 80, name: 'http' }] }]);

    const { containers } = await patchPod('ports', {
      containers: [{ name: 'web', ports: [{ containerPort: 80, name: 'web' }, { containerPort: 443 }] }],
    });

    expect(containers[0]?.ports?.map(({ containerPort, name }) => `${containerPort} ${name ?? ''}`).sort()).toEqual(['443 ', '80 web']);
  });

  it('merges the ports of a Service by their numbers', async () => {
    const services = server.docs(Service);
    await services.given({ metadata: { name: 'svc' }, spec: { clusterIP: 'None', ports: [{ name: 'a', port: 80 }] } });

    const { body } = await services.patch('svc', 'strategic', { spec: { ports: [{ name: 'b', port: 81 }] } });

    const { ports } = body.spec as { ports: { port: number }[] };
    expect(ports.map(({ port }) => port).sort()).toEqual([80, 81]);
  });

  it('replaces a list that has no merge key', async () => {
    await given('atomic', [{ ...web, command: ['a', 'b'] }]);

    const { containers } = await patchPod('atomic', { containers: [{ name: 'web', command: ['c'] }] });

    expect(containers[0]).toMatchObject({ name: 'web', image: 'web:1', command: ['c'] });
  });

  it('removes what a patch sets to null', async () => {
    await given('nulled', [web], { nodeSelector: { a: 'b', c: 'd' } });

    const { nodeSelector } = await patchPod('nulled', { nodeSelector: { a: null } });

    expect(nodeSelector).toEqual({ c: 'd' });
  });

  it('adds to the finalizers, a list of plain values that merges', async () => {
    const configMaps = server.of(ConfigMap);
    await configMaps.given({ metadata: { name: 'finalizers', finalizers: ['example.com/a'] } });

    const { body } = await configMaps.patch('finalizers', 'strategic', { metadata: { finalizers: ['example.com/b'] } });
    await configMaps.patch('finalizers', 'merge', { metadata: { finalizers: null } });

    expect(body.metadata.finalizers?.sort()).toEqual(['example.com/a', 'example.com/b']);
  });

  it('takes plain values out with $deleteFromPrimitiveList', async () => {
    const configMaps = server.of(ConfigMap);
    await configMaps.given({ metadata: { name: 'primitive', finalizers: ['example.com/a', 'example.com/b'] } });

    const { body } = await configMaps.patch('primitive', 'strategic', {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] },
    });
    await configMaps.patch('primitive', 'merge', { metadata: { finalizers: null } });

    expect(body.metadata.finalizers).toEqual(['example.com/b']);
  });

  it('orders a list as $setElementOrder says', async () => {
    await given('ordered', [web, log]);

    const { containers } = await patchPod('ordered', {
      '$setElementOrder/containers': [{ name: 'log' }, { name: 'web' }],
      containers: [{ name: 'web', image: 'web:2' }],
    });

    expect(containers.map(({ name }) => name)).toEqual(['log', 'web']);
  });

  it('keeps only the fields that $retainKeys names', async () => {
    await given('retained', [web]);

    const { body } = await deployments.patch('retained', 'strategic', {
      spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    });

    expect(body.spec).toMatchObject({ strategy: { type: 'Recreate' } });
    expect((body.spec as { strategy: object }).strategy).not.toHaveProperty('rollingUpdate');
  });

  it('fills in the defaults of what a patch adds', async () => {
    await given('defaults', [web]);

    const { containers } = await patchPod('defaults', { containers: [{ name: 'web', ports: [{ containerPort: 8080 }] }] });

    expect(containers[0]?.ports).toEqual([{ containerPort: 8080, protocol: 'TCP' }]);
  });
});
