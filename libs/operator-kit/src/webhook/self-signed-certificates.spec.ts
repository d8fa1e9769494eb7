import { X509Certificate } from 'node:crypto';
import { type BundleTarget, SelfSignedCertificates, ValidatingWebhookConfiguration } from '.';
import { CustomResourceDefinition, Secret, ServerError } from '../client';
import { FakeClock, RecordingLogger, settle } from '../testing';
import { FakeStore } from './fake-store.fixture';
import type { ServingCertificate } from './certificate-source';
import { type CertificateIssuer, ecdsaIssuer } from './authority';

const dayMs = 24 * 60 * 60_000;
const secret = { namespace: 'shop', name: 'hooks-cert' };
const hooks: BundleTarget = { kind: 'ValidatingWebhookConfiguration', name: 'hooks' };

/** Keys are made outside of the clock's time: this tells when none is being made. */
class TrackedIssuer implements CertificateIssuer {
  private readonly pending = new Set<Promise<unknown>>();

  createAuthority(...args: Parameters<CertificateIssuer['createAuthority']>) {
    return this.track(ecdsaIssuer.createAuthority(...args));
  }

  issueCertificate(...args: Parameters<CertificateIssuer['issueCertificate']>) {
    return this.track(ecdsaIssuer.issueCertificate(...args));
  }

  async idle(): Promise<void> {
    while (this.pending.size > 0) {
      await Promise.all(this.pending);
      await settle();
    }
  }

  private track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.pending.delete(tracked));
    this.pending.add(tracked);
    return tracked;
  }
}

function setup(targets: BundleTarget[] = [hooks]) {
  const clock = new FakeClock();
  const issuer = new TrackedIssuer();
  const pass = async (byMs: number) => {
    for (let leftMs = byMs; leftMs > 0; leftMs -= dayMs) {
      await clock.advance(Math.min(leftMs, dayMs));
      await issuer.idle();
    }
  };
  const store = new FakeStore();
  store.put(ValidatingWebhookConfiguration, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hooks' },
    ...{
      webhooks: [
        { name: 'a', clientConfig: {} },
        { name: 'b', clientConfig: {} },
      ],
    },
  });
  const trusted = (): X509Certificate[][] => {
    const { webhooks = [] } = store.peek(ValidatingWebhookConfiguration, { name: 'hooks' });
    return webhooks.map(({ clientConfig }) => certificates(clientConfig.caBundle));
  };
  const replica = (names = ['hooks.shop.svc', '10.0.0.1']) => {
    const logger = new RecordingLogger();
    const used: { certificate: X509Certificate; trustedThen: boolean }[] = [];
    const source = new SelfSignedCertificates(
      store,
      { secret, names, targets, authorityLifetimeMs: 90 * dayMs, servingLifetimeMs: 30 * dayMs, checkMs: dayMs },
      { clock, issuer, logger },
    );
    const use = ({ cert }: ServingCertificate) => {
      const certificate = new X509Certificate(cert);
      const trustedThen = trusted().every((bundle) => bundle.some((authority) => certificate.verify(authority.publicKey)));
      used.push({ certificate, trustedThen });
    };
    return { source, used, logger, start: () => source.start(use, new AbortController().signal) };
  };
  return { clock, pass, store, replica, trusted };
}

function certificates(bundle = ''): X509Certificate[] {
  const pem = Buffer.from(bundle, 'base64').toString();
  return (pem.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []).map((block) => new X509Certificate(block));
}

describe('SelfSignedCertificates', () => {
  it('makes a certificate for the names asked for and keeps it in the Secret', async () => {
    const { store, replica } = setup();
    const { source, used, start } = replica();

    await start();

    expect(used[0]?.certificate.subjectAltName).toBe('DNS:hooks.shop.svc, IP Address:10.0.0.1');
    expect(Object.keys(store.peek(Secret, secret).data ?? {}).sort()).toEqual([
      'ca-previous.crt',
      'ca.crt',
      'ca.key',
      'tls.crt',
      'tls.key',
    ]);
    await source.stop();
  });

  it('the CA bundle is injected before the certificate is used', async () => {
    const { pass, replica, trusted } = setup();
    const { source, used, start } = replica();

    await start();
    await pass(65 * dayMs);

    expect(used.length).toBeGreaterThan(3);
    expect(used.map(({ trustedThen }) => trustedThen)).toEqual(used.map(() => true));
    expect(trusted().map((bundle) => bundle.length)).toEqual([2, 2]);
    await source.stop();
  });

  it('keeps the old certificate in use while the bundle cannot be injected', async () => {
    const { pass, store, replica } = setup();
    const { source, used, logger, start } = replica();
    await start();

    store.remove(Secret, secret);
    store.put(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: secret });
    const down = new ServerError(500, { kind: 'Status', apiVersion: 'v1' }, 'GET');
    const find = store.find.bind(store);
    let healthy = false;
    store.find = (resource, ref) => (ref.name === 'hooks' && !healthy ? Promise.reject(down) : find(resource, ref));
    await pass(dayMs);
    expect(logger.messages('warn')).toEqual(['the certificates could not be refreshed, the old ones stay']);
    expect(used).toHaveLength(1);
    healthy = true;
    await pass(1_000);
    expect(used).toHaveLength(2);

    expect(used.map(({ trustedThen }) => trustedThen)).toEqual([true, true]);
    await source.stop();
  });

  it('rotation happens well before expiry', async () => {
    const { clock, pass, replica } = setup();
    const { source, used, start } = replica();
    await start();

    await pass(19 * dayMs);
    expect(used).toHaveLength(1);
    await pass(dayMs);
    expect(used).toHaveLength(2);

    const leftMs = (used[0]?.certificate.validToDate.getTime() ?? 0) - clock.now();
    expect(leftMs).toBeGreaterThan(9 * dayMs);
    await source.stop();
  });

  it('lets all replicas use one certificate, whoever made it', async () => {
    const { pass, store, replica } = setup();
    const replicas = [replica(), replica(), replica()];

    await Promise.all(replicas.map(({ start }) => start()));
    await pass(22 * dayMs);

    const [first, ...others] = replicas.map(({ used }) => used.map(({ certificate }) => certificate.fingerprint256));
    expect(first).toHaveLength(2);
    for (const other of others) expect(other).toEqual(first);
    expect(store.writes.filter((key) => key.startsWith('Secret'))).toHaveLength(2);
    await Promise.all(replicas.map(({ source }) => source.stop()));
  });

  it('writes nothing when a second replica finds everything in place', async () => {
    const { store, replica } = setup();
    const [one, two] = [replica(), replica()];
    await one.start();
    const before = store.writes.length;

    await two.start();

    expect(store.writes).toHaveLength(before);
    await Promise.all([one.source.stop(), two.source.stop()]);
  });

  it('brings back a Secret that was deleted, with the certificate in use', async () => {
    const { pass, store, replica } = setup();
    const { source, used, start } = replica();
    await start();
    const before = store.peek(Secret, secret).data;

    store.remove(Secret, secret);
    await pass(dayMs);

    expect(store.peek(Secret, secret).data).toEqual(before);
    expect(used).toHaveLength(1);
    await source.stop();
  });

  it('makes a new certificate for a name that the stored one lacks', async () => {
    const { replica, trusted } = setup();
    const [old, renamed] = [replica(), replica(['hooks.other.svc'])];
    await old.start();

    await renamed.start();

    expect(renamed.used[0]?.certificate.subjectAltName).toBe('DNS:hooks.other.svc');
    expect(trusted().map((bundle) => bundle.length)).toEqual([1, 1]);
    await Promise.all([old.source.stop(), renamed.source.stop()]);
  });

  it('starts over from a Secret that holds rubbish', async () => {
    const { store, replica } = setup();
    const rubbish = Buffer.from('rubbish').toString('base64');
    const data = { 'tls.crt': rubbish, 'tls.key': rubbish, 'ca.crt': rubbish, 'ca.key': rubbish };
    store.put(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: secret, ...{ data } });
    const { source, used, start } = replica();

    await start();

    expect(used.map(({ trustedThen }) => trustedThen)).toEqual([true]);
    await source.stop();
  });

  it('injects the bundle into the conversion webhook of a CRD', async () => {
    const crd: BundleTarget = { kind: 'CustomResourceDefinition', name: 'webapps.example.com' };
    const { store, replica } = setup([crd]);
    const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://x' } } };
    const spec = { group: 'example.com', conversion };
    store.put(CustomResourceDefinition, { apiVersion: 'v1', kind: 'CustomResourceDefinition', metadata: { name: crd.name }, ...{ spec } });
    const { source, start } = replica();

    await start();

    const { clientConfig } = store.peek(CustomResourceDefinition, { name: crd.name }).spec.conversion?.webhook ?? {};
    expect(clientConfig?.url).toBe('https://x');
    expect(certificates(clientConfig?.caBundle)).toHaveLength(1);
    await source.stop();
  });

  it('waits for no target that is not there', async () => {
    const { replica } = setup([{ kind: 'MutatingWebhookConfiguration', name: 'later' }]);
    const { source, used, start } = replica();

    await start();

    expect(used).toHaveLength(1);
    await source.stop();
  });

  it('leaves no timer behind', async () => {
    const { clock, replica } = setup();
    const { source, start } = replica();
    await start();

    await source.stop();

    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses a serving certificate that would outlive its authority', () => {
    const options = { secret, names: ['a'], targets: [], authorityLifetimeMs: 10, servingLifetimeMs: 9 };

    expect(() => new SelfSignedCertificates(new FakeStore(), options, { logger: new RecordingLogger() })).toThrow('at most a third');
  });
});
