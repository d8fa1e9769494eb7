import { ConfigMap, KubeClient, type ServerOptions } from '@elasti/operator-kit';
import { FakeClock } from '@elasti/operator-kit/testing';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { TestAuthority, type KeyPair } from './client-certificates';
import { answer, RawServer } from './client-server';

const ref = { namespace: 'shop', name: 'settings' };
const found = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref };
const ok: RequestListener = (_request, response) => answer(response, found);

describe('KubeClient over TLS', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let authority: TestAuthority;
  let serverPair: KeyPair;

  beforeAll(async () => {
    authority = await TestAuthority.create('test authority');
    serverPair = await authority.issue('server', ['localhost', 'kubernetes.default.svc']);
  });

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function serve(handler: RequestListener = ok): Promise<RawServer> {
    const server = await RawServer.start(handler, { ...serverPair, ca: authority.ca, requestCert: true, rejectUnauthorized: false });
    stops.push(() => server.stop());
    return server;
  }

  function clientFor(options: ServerOptions & { clock?: FakeClock }): KubeClient {
    const client = KubeClient.forServer(options);
    stops.unshift(() => client.close());
    return client;
  }

  async function folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'kit-client-'));
    stops.push(() => rm(path, { recursive: true }));
    return path;
  }

  function clientName(request: IncomingMessage | undefined): string | undefined {
    return (request?.socket as TLSSocket | undefined)?.getPeerCertificate().subject.CN as string | undefined;
  }

  it('trusts the authority it is given', async () => {
    const server = await serve();

    await expect(clientFor({ server: server.url, ca: authority.ca }).get(ConfigMap, ref)).resolves.toEqual(found);
  });

  it('refuses a server of another authority', async () => {
    const server = await serve();
    const stranger = await TestAuthority.create('stranger');

    await expect(clientFor({ server: server.url, ca: stranger.ca }).get(ConfigMap, ref)).rejects.toThrow(/certificate/);
    expect(server.requests).toHaveLength(0);
  });

  it('skips the check only when asked to', async () => {
    const server = await serve();

    await expect(clientFor({ server: server.url }).get(ConfigMap, ref)).rejects.toThrow(/certificate/);
    await expect(clientFor({ server: server.url, insecureSkipTlsVerify: true }).get(ConfigMap, ref)).resolves.toEqual(found);
  });

  it('checks for the server name it is given instead of the address', async () => {
    const server = await serve();
    const byAddress = `https://127.0.0.1:${server.port}`;

    await expect(clientFor({ server: byAddress, ca: authority.ca }).get(ConfigMap, ref)).rejects.toThrow();
    await expect(
      clientFor({ server: byAddress, ca: authority.ca, serverName: 'kubernetes.default.svc' }).get(ConfigMap, ref),
    ).resolves.toEqual(found);
  });

  it('shows a new client certificate over new connections when its files change', async () => {
    const names: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      names.push(clientName(request));
      answer(response, found);
    });
    const [path, clock] = [await folder(), new FakeClock()];
    const [certFile, keyFile] = [join(path, 'tls.crt'), join(path, 'tls.key')];
    const write = async ({ cert, key }: KeyPair) => {
      await writeFile(certFile, cert);
      await writeFile(keyFile, key);
    };
    await write(await authority.issue('before'));
    const client = clientFor({ server: server.url, ca: authority.ca, certFile, keyFile, clock });

    await client.get(ConfigMap, ref);
    await write(await authority.issue('after'));
    await clock.advance(1000);
    await client.get(ConfigMap, ref);

    expect(names).toEqual(['before', 'after']);
  });

  it('reads a token again when the link to its folder is swapped, as the kubelet does', async () => {
    const server = await serve();
    const [path, clock] = [await folder(), new FakeClock()];
    const publish = async (token: string) => {
      await writeFile(join(path, token), token);
      await symlink(token, join(path, 'next'));
      await rename(join(path, 'next'), join(path, 'token'));
    };
    await publish('token-1');
    const client = clientFor({ server: server.url, ca: authority.ca, tokenFile: join(path, 'token'), clock });

    await client.get(ConfigMap, ref);
    await publish('token-2');
    await clock.advance(1000);
    await client.get(ConfigMap, ref);

    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('goes through a proxy when it is told to', async () => {
    const server = await serve();
    const proxy = await startProxy();

    const client = clientFor({ server: server.url, ca: authority.ca, proxyUrl: `http://127.0.0.1:${proxy.port}` });

    await expect(client.get(ConfigMap, ref)).resolves.toEqual(found);
    expect(proxy.targets).toEqual([`localhost:${server.port}`]);
  });

  async function startProxy(): Promise<{ port: number; targets: string[] }> {
    const targets: string[] = [];
    const proxy: Server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', (bytes) => {
        const target = /^CONNECT (\S+)/.exec(bytes.toString())?.[1] ?? '';
        targets.push(target);
        const onward = connect(Number(target.split(':')[1]), '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        });
        onward.on('error', () => socket.destroy());
        socket.on('close', () => onward.destroy());
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    stops.push(() => new Promise((resolve) => proxy.close(resolve)));
    return { port: (proxy.address() as AddressInfo).port, targets };
  }
});
