import { ConfigMap, Deployment, Pod, Service } from '@elasti/operator-kit';
import { useServer } from './harness';
import { aDeployment, aPod } from './objects';

describe('refusals', () => {
  const server = useServer();
  const configMaps = server.docs(ConfigMap);
  const deployments = server.docs(Deployment);

  it('knows nothing of a resource that is not there', async () => {
    const { code } = await server.wire.call('GET', `/api/v1/namespaces/${server.namespace}/unicorns`);

    expect(code).toBe(404);
  });

  it('does not create at the path of one object', async () => {
    const { code, status } = await server.wire.call('POST', configMaps.path('x'), { body: configMaps.draft({ metadata: { name: 'x' } }) });

    expect(code).toBe(405);
    expect(status).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'MethodNotAllowed', code: 405 });
  });

  it('does not replace a collection', async () => {
    const { code } = await server.wire.call('PUT', configMaps.path(), { body: {} });

    expect(code).toBe(405);
  });

  it('does not create over all namespaces', async () => {
    const { code } = await server.wire.call('POST', configMaps.in().path(), { body: configMaps.draft({ metadata: { name: 'x' } }) });

    expect(code).toBe(405);
  });

  it('takes no body in a language that it does not know', async () => {
    const { code, status } = await server.wire.call('POST', configMaps.path(), { body: '<xml/>', contentType: 'application/xml' });

    expect(code).toBe(415);
    expect(status).toMatchObject({ reason: 'UnsupportedMediaType' });
  });

  it('takes a body in YAML', async () => {
    const body = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n`;

    const { code } = await server.wire.call('POST', configMaps.path(), { body, contentType: 'application/yaml' });

    expect(code).toBe(201);
  });

  it('answers in JSON with a Status that has no name for a malformed body', async () => {
    const { contentType, status } = await server.wire.call('POST', configMaps.path(), { body: 'nonsense' });

    expect(contentType).toBe('application/json');
    expect(status).toMatchObject({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 400 });
  });

  it('refuses a number where a text belongs', async () => {
    const { code, status } = await configMaps.create({ metadata: { name: 'typed' }, data: { a: 1 } });

    expect(code).toBe(400);
    expect(status.reason).toBe('BadRequest');
  });

  it('names each missing field of a builtin object', async () => {
    const { code, status } = await server.docs(Pod).create({ metadata: { name: 'empty' }, spec: { containers: [] } });

    expect(code).toBe(422);
    expect(status).toMatchObject({ reason: 'Invalid', details: { name: 'empty', kind: 'Pod' } });
    expect(status.details?.causes).toContainEqual({ reason: 'FieldValueRequired', field: 'spec.containers', message: 'Required value' });
  });

  it('names a container without an image by its index', async () => {
    const { code, status } = await server.docs(Pod).create(aPod('imageless', { containers: [{ name: 'main' }] }));

    expect(code).toBe(422);
    expect(status.details?.causes).toContainEqual(
      expect.objectContaining({ reason: 'FieldValueRequired', field: 'spec.containers[0].image' }),
    );
  });

  it('refuses a Deployment whose selector does not match its template', async () => {
    const draft = aDeployment('mismatch', { selector: { matchLabels: { app: 'other' } } });

    const { code, status } = await deployments.create(draft);

    expect(code).toBe(422);
    expect(status.details).toMatchObject({
      group: 'apps',
      kind: 'Deployment',
      causes: [{ field: 'spec.template.metadata.labels', reason: 'FieldValueInvalid' }],
    });
  });

  it('refuses to change the selector of a Deployment', async () => {
    await deployments.given(aDeployment('immutable'));
    const labels = { app: 'changed' };

    const { code, status } = await deployments.patch('immutable', 'merge', {
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
    });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'spec.selector', message: expect.stringContaining('field is immutable') }]);
  });

  it('refuses a Deployment with fewer than no replicas', async () => {
    const { code, status } = await deployments.create(aDeployment('negative', { replicas: -1 }));

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'spec.replicas', reason: 'FieldValueInvalid' }]);
  });

  it('refuses a Service without ports', async () => {
    const { code, status } = await server.docs(Service).create({ metadata: { name: 'portless' }, spec: { selector: { a: 'b' } } });

    expect(code).toBe(422);
    expect(status.details?.causes).toContainEqual(expect.objectContaining({ field: 'spec.ports', reason: 'FieldValueRequired' }));
  });

  it('refuses to change a ConfigMap that is immutable', async () => {
    await configMaps.given({ metadata: { name: 'frozen' }, immutable: true, data: { a: '1' } });

    const { code, status } = await configMaps.patch('frozen', 'merge', { data: { a: '2' } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'data', reason: 'FieldValueForbidden' }]);
  });

  it('fills in the defaults of a Deployment', async () => {
    const { body } = await deployments.create(aDeployment('defaults'));

    expect(body.spec).toMatchObject({
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        spec: {
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          containers: [{ name: 'main', imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/dev/termination-log' }],
        },
      },
    });
  });

  it('fills in the defaults of a Service, an address included', async () => {
    const { body } = await server.docs(Service).create({ metadata: { name: 'svc' }, spec: { ports: [{ port: 80 }] } });

    expect(body.spec).toMatchObject({
      type: 'ClusterIP',
      clusterIP: expect.stringMatching(/^[0-9.]+$/),
      sessionAffinity: 'None',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    });
  });
});
