import { ConfigMap, InvalidRequestError, KubeClient, type KubeObject, loadKubeConfig, type ObjectRef } from '@elasti/operator-kit';
import { KubeConfig } from '@kubernetes/client-node';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { TestAuthority } from './client-certificates';
import { answer, RawServer } from './client-server';

interface Sample {
  server?: string;
  cluster?: object;
  user?: object;
  name?: string;
  currentContext?: string;
}

function kubeconfig({ server = 'https://one.example', cluster, user = {}, name = 'one', currentContext = name }: Sample = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': currentContext,
    clusters: [{ name, cluster: { server, ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: `ns-of-${name}` } }],
  });
}

describe('loadKubeConfig', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-kubeconfig-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function file(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  /** Every source at once; leaving the best ones out shows the order. */
  async function everySource() {
    const path = await file('explicit', kubeconfig({ server: 'https://explicit.example' }));
    const listed = await file('listed', kubeconfig({ server: 'https://listed.example' }));
    await file('.kube/config', kubeconfig({ server: 'https://home.example' }));
    await file('pod/token', 'pod-token');
    await file('pod/namespace', 'pod-namespace\n');
    const pod = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    return { path, listed, pod, serviceAccountFolder: join(folder, 'pod') };
  }

  it('prefers the path given, then KUBECONFIG, then the service account, then the home folder', async () => {
    const { path, listed, pod, serviceAccountFolder } = await everySource();
    const home = { HOME: folder };

    const servers = [
      await loadKubeConfig({ path, serviceAccountFolder, env: { ...home, ...pod, KUBECONFIG: listed } }),
      await loadKubeConfig({ serviceAccountFolder, env: { ...home, ...pod, KUBECONFIG: listed } }),
      await loadKubeConfig({ serviceAccountFolder, env: { ...home, ...pod } }),
      await loadKubeConfig({ serviceAccountFolder, env: home }),
    ];

    expect(servers.map(({ server }) => server)).toEqual([
      'https://explicit.example',
      'https://listed.example',
      'https://[fd00::1]:443',
      'https://home.example',
    ]);
  });

  it('takes the namespace and the files of the service account inside a pod', async () => {
    const { pod, serviceAccountFolder } = await everySource();

    await expect(loadKubeConfig({ serviceAccountFolder, env: pod })).resolves.toMatchObject({
      namespace: 'pod-namespace',
      tokenFile: join(serviceAccountFolder, 'token'),
      caFile: join(serviceAccountFolder, 'ca.crt'),
    });
  });

  it('merges the files of KUBECONFIG, the first to say something wins, and skips missing ones', async () => {
    const first = await file('first', kubeconfig({ name: 'one', server: 'https://first.example' }));
    const second = await file('second', kubeconfig({ name: 'two', server: 'https://second.example' }));
    const again = await file('again', kubeconfig({ name: 'one', server: 'https://again.example' }));
    const env = { KUBECONFIG: [join(folder, 'missing'), first, second, again].join(delimiter) };

    await expect(loadKubeConfig({ env })).resolves.toMatchObject({ server: 'https://first.example', namespace: 'ns-of-one' });
    await expect(loadKubeConfig({ env, context: 'two' })).resolves.toMatchObject({ server: 'https://second.example' });
  });

  it('reads everything about the cluster and the user, files relative to the kubeconfig', async () => {
    const encoded = (text: string) => Buffer.from(text).toString('base64');
    const path = await file(
      'full',
      kubeconfig({
        cluster: {
          'certificate-authority-data': encoded('CA'),
          'tls-server-name': 'inner',
          'insecure-skip-tls-verify': true,
          'proxy-url': 'http://proxy',
        },
        user: { 'client-certificate': 'tls.crt', 'client-key-data': encoded('KEY'), tokenFile: 'token', as: 'anne' },
      }),
    );

    await expect(loadKubeConfig({ path })).resolves.toMatchObject({
      ca: Buffer.from('CA'),
      serverName: 'inner',
      insecureSkipTlsVerify: true,
      proxyUrl: 'http://proxy',
      certFile: join(folder, 'tls.crt'),
      key: Buffer.from('KEY'),
      tokenFile: join(folder, 'token'),
      impersonateUser: 'anne',
    });
  });

  it('names the contexts there are when the one asked for is not', async () => {
    const path = await file('one', kubeconfig());

    await expect(loadKubeConfig({ path, context: 'tow' })).rejects.toThrow('context: "tow" is not in the kubeconfig: choose one of one');
  });

  it('takes a KubeConfig that is loaded already, in the context asked for, and leaves it as it is', async () => {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(kubeconfig({ name: 'one', user: { token: 'secret' } }));
    const other = new KubeConfig();
    other.loadFromString(kubeconfig({ name: 'two', server: 'https://two.example' }));
    kubeConfig.mergeConfig(other, true);

    await expect(loadKubeConfig({ kubeConfig, env: { KUBECONFIG: '/nowhere' } })).resolves.toMatchObject({
      server: 'https://one.example',
      namespace: 'ns-of-one',
      token: 'secret',
    });
    await expect(loadKubeConfig({ kubeConfig, context: 'two' })).resolves.toMatchObject({ server: 'https://two.example' });
    await expect(loadKubeConfig({ kubeConfig, context: 'tow' })).rejects.toThrow('choose one of one, two');
    expect(kubeConfig.getCurrentContext()).toBe('one');
  });

  it('says what to do when there is nothing to load', async () => {
    await expect(loadKubeConfig({ env: {} })).rejects.toThrow(InvalidRequestError);
    await expect(loadKubeConfig({ env: { KUBECONFIG: '/nowhere' } })).rejects.toThrow('KUBECONFIG: no file at /nowhere');
  });
});

describe('KubeClient.fromKubeConfig', () => {
  const stops: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  interface RefusingServer {
    url: string;
    caData: string;
    found: KubeObject & { metadata: ObjectRef };
    authorizations(): (string | undefined)[];
  }

  /** Takes `token-2` only. */
  async function refusingServer(): Promise<RefusingServer> {
    const authority = await TestAuthority.create('test authority');
    const found = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'settings' } };
    const server = await RawServer.start(
      (request, response) => {
        if (request.headers.authorization === 'Bearer token-2') answer(response, found);
        else answer(response, { kind: 'Status', code: 401 }, 401);
      },
      await authority.issue('server', ['localhost']),
    );
    stops.push(() => server.stop());
    const caData = Buffer.from(authority.ca).toString('base64');
    return { url: server.url, caData, found, authorizations: () => server.requests.map(({ headers }) => headers.authorization) };
  }

  /** Each run of the plugin hands out the next token. */
  async function pluginConfig({ url, caData }: RefusingServer): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'kit-plugin-'));
    stops.push(() => rm(folder, { recursive: true }));
    const plugin = `
      const fs = require('node:fs');
      const path = ${JSON.stringify(join(folder, 'runs'))};
      fs.appendFileSync(path, 'x');
      const token = 'token-' + fs.readFileSync(path).length;
      console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }));`;
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: ['-e', plugin] };
    const path = join(folder, 'config');
    await writeFile(path, kubeconfig({ server: url, cluster: { 'certificate-authority-data': caData }, user: { exec } }));
    return path;
  }

  it.each([
    ['a file', (path: string) => ({ path })],
    ['a KubeConfig', (path: string) => ({ kubeConfig: loaded(path) })],
  ])('runs the plugin of a user in %s, and once more when the server refuses what it gave', async (_, source) => {
    const server = await refusingServer();
    const client = await KubeClient.fromKubeConfig(source(await pluginConfig(server)));
    stops.unshift(() => client.close());

    await expect(client.get(ConfigMap, server.found.metadata)).resolves.toEqual(server.found);
    await client.get(ConfigMap, server.found.metadata);

    expect(client.defaultNamespace).toBe('ns-of-one');
    expect(server.authorizations()).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-2']);
  });

  it('lets a KubeConfig log in by an authenticator that was added to it', async () => {
    const server = await refusingServer();
    const kubeConfig = new KubeConfig();
    kubeConfig.addAuthenticator({
      isAuthProvider: (user) => (user.authProvider as { name?: string } | undefined)?.name === 'ours',
      applyAuthentication: (_, options: RequestOptions) => {
        options.headers = { Authorization: 'Bearer token-2' };
        return Promise.resolve();
      },
    });
    kubeConfig.loadFromString(
      kubeconfig({
        server: server.url,
        cluster: { 'certificate-authority-data': server.caData },
        user: { 'auth-provider': { name: 'ours', config: {} } },
      }),
    );
    const client = await KubeClient.fromKubeConfig({ kubeConfig });
    stops.unshift(() => client.close());

    await expect(client.get(ConfigMap, server.found.metadata)).resolves.toEqual(server.found);
  });
});

function loaded(path: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(path);
  return kubeConfig;
}
