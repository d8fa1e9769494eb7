import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment, Lease, Service } from '@elasti/operator-kit';
import type { WebApp } from '@elasti/webapp-operator';
import { eventually } from '../eventually';
import { applyYaml, getObject, kubectl } from './kubectl';
import { logsOf } from './pod-logs';

/**
 * The whole life of a WebApp on a real cluster, driven with kubectl: three operator replicas, installed from the synthesized manifest.
 * The cluster must have the images that WEBAPP_OPERATOR_IMAGE and WEB_IMAGE name.
 */
const webImage = process.env.WEB_IMAGE ?? 'localhost/web:e2e';
const manifest = join(__dirname, '../../infra/manifests/webapp-operator/webapp-operator.k8s.yaml');
const operatorNamespace = 'webapp-operator';
const namespace = 'webapp-e2e';

const webAppYaml = (replicas: number) => `
apiVersion: example.com/v1
kind: WebApp
metadata: { name: hello, namespace: ${namespace} }
spec: { image: ${webImage}, replicas: ${replicas}, port: 8080 }
`;

const readApp = () => getObject<WebApp>('webapp', 'hello', '-n', namespace);
const readDeployment = () => getObject<Deployment>('deployment', 'hello', '-n', namespace);
const readService = () => getObject<Service>('service', 'hello', '-n', namespace);
const leader = async () =>
  (await getObject<Lease>('lease', 'webapp-operator', '-n', operatorNamespace))?.spec?.holderIdentity?.split('_')[0];
const inPhase = (phase: string, available?: number) =>
  eventually(`hello in phase ${phase}`, async () => {
    const app = await readApp();
    return app?.status?.phase === phase && (available === undefined || app.status.availableReplicas === available) ? app : undefined;
  });

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webapp-e2e-'));
  const threeReplicas = join(folder, 'operator.yaml');
  writeFileSync(threeReplicas, readFileSync(manifest, 'utf8').replace(/^( {2}replicas: )\d+$/m, '$13'));
  await kubectl('apply', '-f', threeReplicas);
  rmSync(folder, { recursive: true });
  await applyYaml(`{ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "${namespace}" } }`);
  await kubectl('rollout', 'status', 'deployment/webapp-operator', '-n', operatorNamespace, '--timeout=120s');
}, 180_000);

afterAll(async () => {
  await kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--timeout=60s');
  await kubectl('delete', '-f', manifest, '--ignore-not-found', '--timeout=60s');
}, 180_000);

describe('the WebApp operator on a cluster', () => {
  jest.setTimeout(120_000);

  it('makes a Deployment and a Service for a new WebApp, and says Ready when its pods serve', async () => {
    await applyYaml(webAppYaml(1));

    const app = await inPhase('Ready', 1);

    expect(app.metadata.finalizers).toEqual(['example.com/finalizer']);
    expect(app.status?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'True', observedGeneration: 1 });
    expect((await readDeployment())?.metadata.ownerReferences).toMatchObject([{ kind: 'WebApp', name: 'hello', controller: true }]);
    const answer = await kubectl('get', '--raw', `/api/v1/namespaces/${namespace}/services/hello:http/proxy/`);
    expect(answer).toContain('hello from hello-');
  });

  it('follows kubectl scale', async () => {
    await kubectl('scale', 'webapp/hello', '-n', namespace, '--replicas=3');

    await inPhase('Ready', 3);

    expect((await readDeployment())?.spec?.replicas).toBe(3);
  });

  it('puts back what others change or delete', async () => {
    await kubectl(
      'patch',
      'service',
      'hello',
      '-n',
      namespace,
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/ports/0/targetPort","value":1}]',
    );
    await kubectl('delete', 'deployment', 'hello', '-n', namespace);

    await eventually('the target port restored', async () =>
      (await readService())?.spec?.ports?.[0]?.targetPort === 'http' ? true : undefined,
    );
    await inPhase('Ready', 3);
  });

  it('refuses what the schema does not allow, naming the field', async () => {
    await expect(kubectl('patch', 'webapp', 'hello', '-n', namespace, '--type=merge', '-p', '{"spec":{"port":0}}')).rejects.toThrow(
      /spec\.port/,
    );
  });

  it('goes on under another leader when the leading pod is killed', async () => {
    const first = await eventually('a leader', leader);

    await kubectl('delete', 'pod', first, '-n', operatorNamespace, '--grace-period=0', '--force');
    await applyYaml(webAppYaml(2));
    await inPhase('Ready', 2);

    const second = await eventually('another leader', async () => ((await leader()) === first ? undefined : leader()));
    expect(second).not.toBe(first);
  });

  it('leaves nothing behind when the WebApp is deleted', async () => {
    await kubectl('delete', 'webapp', 'hello', '-n', namespace, '--timeout=60s');

    await eventually('the children gone', async () => (((await readDeployment()) ?? (await readService())) ? undefined : true));
    expect(await readApp()).toBeUndefined();
  });

  it('was never refused anything by the API server', async () => {
    const logs = await logsOf(operatorNamespace, 'app.kubernetes.io/name=webapp-operator');

    expect(logs.split('\n').filter((line) => line.includes('forbidden'))).toEqual([]);
  });
});
