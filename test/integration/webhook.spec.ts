import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { FileCertificates, WebhookServer, allow, deny, systemClock } from '@elasti/operator-kit';
import type { AdmissionHandler, CertificateSource, ServingCertificate, Verdict } from '@elasti/operator-kit';
import { RecordingLogger } from '@elasti/operator-kit/testing';
import { certificateFor } from './webhook.fixture';

interface Reply {
  status: number;
  body: { response?: { uid: string; allowed: boolean; status?: { code: number } }; code?: number };
  /** Of the certificate that the server showed. */
  fingerprint: string;
}

const review = (uid: string) =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid, operation: 'CREATE' } });

class FixedCertificate implements CertificateSource {
  constructor(private readonly certificate: ServingCertificate) {}

  start(use: (certificate: ServingCertificate) => void): Promise<void> {
    use(this.certificate);
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}

describe('WebhookServer', () => {
  const logger = new RecordingLogger();
  const agents: Agent[] = [];
  const servers: WebhookServer[] = [];
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webhook-'));
  });

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    for (const agent of agents.splice(0)) agent.destroy();
    await rm(folder, { recursive: true });
  });

  it('does not begin to listen when it was stopped while it waited for its certificate', async () => {
    const ready = Promise.withResolvers<undefined>();
    const certificates: CertificateSource = { start: () => ready.promise, stop: () => Promise.resolve() };
    const server = new WebhookServer({ port: 0, host: '127.0.0.1' }, certificates, { logger });
    servers.push(server);
    const starting = server.start(new AbortController().signal);

    await server.stop();
    ready.resolve(undefined);

    await expect(starting).rejects.toThrow('the webhook server stops');
    expect(server.port).toBe(0);
  });

  async function serve(certificates: CertificateSource, handler: AdmissionHandler = () => allow(), graceMs = 5_000) {
    const server = new WebhookServer({ port: 0, host: '127.0.0.1', graceMs }, certificates, { logger }).admit('/admit', handler);
    servers.push(server);
    await server.start(new AbortController().signal);
    return server;
  }

  /** Each call has a connection of its own unless it shares an agent. */
  function send(server: WebhookServer, body: string | Buffer, options: RequestOptions = {}): Promise<Reply> {
    const agent = new Agent({ rejectUnauthorized: false });
    agents.push(agent);
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const call = request(
        { host: '127.0.0.1', port: server.port, path: '/admit', method: 'POST', agent, headers, ...options },
        (answer) => {
          const { fingerprint256 } = (answer.socket as TLSSocket).getPeerCertificate();
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            const parsed = JSON.parse(Buffer.concat(chunks).toString()) as Reply['body'];
            resolve({ status: answer.statusCode ?? 0, body: parsed, fingerprint: fingerprint256 });
          });
        },
      );
      call.on('error', reject);
      call.end(body);
    });
  }

  it("Webhook: empty or wrong body 400, over 7 MB 413, the answer's uid is the request's", async () => {
    const server = await serve(new FixedCertificate(await certificateFor('one')));
    const large = Buffer.alloc(7 * 1024 * 1024 + 1, ' ');

    expect(await send(server, '')).toMatchObject({ status: 400, body: { code: 400 } });
    expect(await send(server, '{"kind":"Pod"}')).toMatchObject({ status: 400 });
    expect(await send(server, review('u'), { headers: { 'content-type': 'text/plain' } })).toMatchObject({ status: 400 });
    expect(await send(server, large)).toMatchObject({ status: 413, body: { code: 413 } });
    expect(await send(server, large, { headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' } })).toMatchObject({
      status: 413,
    });
    expect(await send(server, review('u-42'))).toMatchObject({ status: 200, body: { response: { uid: 'u-42', allowed: true } } });
  });

  it('takes a body just below the limit', async () => {
    const server = await serve(new FixedCertificate(await certificateFor('one')));

    const reply = await send(server, review('u').padEnd(7 * 1024 * 1024, ' '));

    expect(reply).toMatchObject({ status: 200, body: { response: { uid: 'u' } } });
  });

  it('an exception is a 500 with uid', async () => {
    const server = await serve(new FixedCertificate(await certificateFor('one')), () => Promise.reject(new Error('broken')));

    const reply = await send(server, review('u-7'));

    expect(reply).toMatchObject({ status: 500, body: { response: { uid: 'u-7', allowed: false, status: { code: 500 } } } });
  });

  it('Certificates reload without restart (also on symlink swap)', async () => {
    const [first, second, third] = await Promise.all(['one', 'two', 'three'].map(certificateFor));
    const place = async (name: string, certificate: ServingCertificate | undefined) => {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'tls.crt'), certificate?.cert ?? '');
      await writeFile(join(folder, name, 'tls.key'), certificate?.key ?? '');
      await symlink(name, join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    await place('..1', first);
    await symlink('..data/tls.crt', join(folder, 'tls.crt'));
    await symlink('..data/tls.key', join(folder, 'tls.key'));
    const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key'), rereadMs: 200 };
    const server = await serve(new FileCertificates(files, systemClock, logger));
    const before = (await send(server, review('u'))).fingerprint;

    await place('..2', second);
    const swapped = await otherThan(before);
    await writeFile(join(folder, '..2', 'tls.crt'), third?.cert ?? '');
    await writeFile(join(folder, '..2', 'tls.key'), third?.key ?? '');
    const rewritten = await otherThan(swapped);

    expect(new Set([before, swapped, rewritten]).size).toBe(3);

    async function otherThan(old: string): Promise<string> {
      const deadline = Date.now() + 10_000;
      for (;;) {
        const { fingerprint } = await send(server, review('u'));
        if (fingerprint !== old) return fingerprint;
        if (Date.now() > deadline) throw new Error('the certificate was never reloaded');
      }
    }
  });

  it('keeps serving open connections through a reload', async () => {
    const [first, second] = [await certificateFor('one'), await certificateFor('two')];
    let use: (certificate: ServingCertificate) => void = () => undefined;
    const server = await serve({
      start: (next) => {
        use = next;
        use(first);
        return Promise.resolve();
      },
      stop: () => Promise.resolve(),
    });
    const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: 1 });
    agents.push(agent);

    const before = await send(server, review('1'), { agent });
    use(second);
    const after = await send(server, review('2'), { agent });

    expect([before.status, after.status]).toEqual([200, 200]);
  });

  it('lets reviews at work finish before it stops', async () => {
    const started = Promise.withResolvers<undefined>();
    const verdict = Promise.withResolvers<Verdict>();
    const server = await serve(new FixedCertificate(await certificateFor('one')), () => {
      started.resolve(undefined);
      return verdict.promise;
    });
    const reply = send(server, review('u'));
    await started.promise;

    const stopped = server.stop();
    verdict.resolve(deny('in the end'));

    await expect(reply).resolves.toMatchObject({ status: 200, body: { response: { allowed: false } } });
    await stopped;
    await expect(send(server, review('u'))).rejects.toThrow('ECONNREFUSED');
  });

  it('cuts off a review that outlives the grace, with its signal fired', async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const handler: AdmissionHandler = (_, inner) => {
      asked.resolve(inner);
      return new Promise(() => undefined);
    };
    const server = await serve(new FixedCertificate(await certificateFor('one')), handler, 50);
    const reply = send(server, review('u'));
    reply.catch(() => undefined);
    const inner = await asked.promise;

    await server.stop();

    expect(inner.aborted).toBe(true);
    await expect(reply).rejects.toThrow();
  });

  it('says which port is taken', async () => {
    const certificate = new FixedCertificate(await certificateFor('one'));
    const { port } = await serve(certificate);
    const second = new WebhookServer({ port, host: '127.0.0.1' }, certificate, { logger });
    servers.push(second);

    await expect(second.start(new AbortController().signal)).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
  });
});
