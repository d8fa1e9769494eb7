import { type Clock, sleep, systemClock } from '../clock';
import { ConflictError, type ObjectRef, Secret } from '../client';
import type { Logger } from '../logging';
import { type CertificateIssuer, ecdsaIssuer } from './authority';
import { type BundleTarget, type CertificateStore, injectBundle } from './bundle-targets';
import { buildCaBundle } from './ca-bundle';
import { buildCertificateSecret, readCertificateSecret } from './certificate-secret';
import type { CertificateSource, ServingCertificate } from './certificate-source';
import { type CertificateSet, type Rotation, decideRotation } from './rotation';

export interface SelfSignedOptions {
  /** Where the replicas keep what they share. */
  secret: Required<ObjectRef>;
  /** The DNS names and addresses the API server calls: `hooks.shop.svc`. */
  names: readonly string[];
  /** Who has to trust the certificate. */
  targets: readonly BundleTarget[];
  /** Default: 2 years. */
  authorityLifetimeMs?: number;
  /** At most a third of the authority's, which is renewed when two thirds are over. Default: 90 days. */
  servingLifetimeMs?: number;
  /** How often the Secret and the targets are looked at. Default: 1 min. */
  checkMs?: number;
}

const dayMs = 24 * 60 * 60_000;
const retryMs = 1_000;
const maxRaces = 5;

/**
 * Certificates signed by an authority of the replicas' own, kept in a Secret, for clusters without cert-manager.
 *
 * All replicas agree on one set: every write is guarded, and who loses takes over what the winner wrote. A certificate is used only
 * after all targets trust its authority; they go on trusting the one before. Both are renewed when two thirds of their life are over.
 */
export class SelfSignedCertificates implements CertificateSource {
  private readonly abort = new AbortController();
  private readonly clock: Clock;
  private readonly issuer: CertificateIssuer;
  private readonly logger: Logger;
  private following = Promise.resolve();
  private current?: CertificateSet;

  constructor(
    private readonly kube: CertificateStore,
    private readonly options: SelfSignedOptions,
    { clock = systemClock, issuer = ecdsaIssuer, logger }: { clock?: Clock; issuer?: CertificateIssuer; logger: Logger },
  ) {
    if (options.names.length === 0) throw new TypeError('names is empty: give the DNS names that the API server calls');
    if (this.servingLifetimeMs > this.authorityLifetimeMs / 3) {
      throw new RangeError('servingLifetimeMs must be at most a third of authorityLifetimeMs: its authority must outlive it');
    }
    this.clock = clock;
    this.issuer = issuer;
    this.logger = logger.with({ secret: `${options.secret.namespace}/${options.secret.name}` });
  }

  /** @throws what the first look at the Secret or the targets threw */
  async start(use: (certificate: ServingCertificate) => void, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.abort.signal]);
    const delayMs = await this.refresh(use, either);
    this.following = this.follow(use, delayMs, either);
  }

  async stop(): Promise<void> {
    this.abort.abort(new Error('stopped'));
    await this.following;
  }

  private async follow(use: (certificate: ServingCertificate) => void, firstDelayMs: number, signal: AbortSignal): Promise<void> {
    let delayMs = firstDelayMs;
    let failures = 0;
    const wait = () =>
      sleep(this.clock, delayMs, signal).then(
        () => 'look' as const,
        () => 'stop' as const,
      );
    while ((await wait()) === 'look') {
      try {
        delayMs = await this.refresh(use, signal);
        failures = 0;
      } catch (error) {
        delayMs = Math.min(this.checkMs, retryMs * 2 ** Math.min(failures++, 10));
        if (!signal.aborted) this.logger.warn('the certificates could not be refreshed, the old ones stay', { error, delayMs });
      }
    }
  }

  /** Brings Secret, targets and server into line, in this order; gives the time until the next look. */
  private async refresh(use: (certificate: ServingCertificate) => void, signal: AbortSignal): Promise<number> {
    const set = await this.agreedSet(signal);
    for (const target of this.options.targets) await this.trust(target, set, signal);
    if (set.serving.cert !== this.current?.serving.cert) use(set.serving);
    this.current = set;

    const nowMs = this.clock.now();
    const next = decideRotation(set, this.options.names, nowMs);
    return next.action === 'keep' ? Math.min(this.checkMs, Math.max(retryMs, next.untilMs - nowMs)) : retryMs;
  }

  private async trust(target: BundleTarget, set: CertificateSet, signal: AbortSignal): Promise<void> {
    const outcome = await injectBundle(this.kube, target, (existing) => buildCaBundle(set, existing, this.clock.now()), { signal });
    if (outcome === 'injected') this.logger.info('the CA bundle was injected', { ...target });
    if (outcome === 'absent') this.logger.debug('a target of the CA bundle is not there yet', { ...target });
  }

  /** What the Secret holds, renewed if it is time. */
  private async agreedSet(signal: AbortSignal): Promise<CertificateSet> {
    const { secret, names } = this.options;
    for (let races = 0; ; races++) {
      const stored = await this.kube.find(Secret, secret, { signal });
      // A Secret that someone deleted is written again as it was: the server's certificate stays trusted.
      const set = stored ? readCertificateSecret(stored) : this.current;
      const rotation = decideRotation(set, names, this.clock.now());
      if (set && stored && rotation.action === 'keep') return set;

      const next = await this.rotate(set, rotation);
      try {
        await this.write(next, stored, signal);
        this.logger.info('certificates were written', { action: rotation.action });
        return next;
      } catch (error) {
        if (!(error instanceof ConflictError) || races === maxRaces) throw error;
      }
    }
  }

  private async rotate(set: CertificateSet | undefined, rotation: Rotation): Promise<CertificateSet> {
    const nowMs = this.clock.now();
    const { names } = this.options;
    if (set && rotation.action === 'keep') return set;
    if (set && rotation.action === 'renew-serving') {
      return { ...set, serving: await this.issuer.issueCertificate(set.authority, names, { nowMs, lifetimeMs: this.servingLifetimeMs }) };
    }
    const authority = await this.issuer.createAuthority(`${this.options.secret.name}-ca`, { nowMs, lifetimeMs: this.authorityLifetimeMs });
    const serving = await this.issuer.issueCertificate(authority, names, { nowMs, lifetimeMs: this.servingLifetimeMs });
    return { authority, serving, previousAuthority: rotation.action === 'renew-authority' ? set?.authority.cert : undefined };
  }

  /** @throws ConflictError when another replica was quicker */
  private async write(set: CertificateSet, stored: Secret | undefined, signal: AbortSignal): Promise<void> {
    const secret = buildCertificateSecret(this.options.secret, set, stored);
    if (stored) await this.kube.replace(Secret, secret, { signal });
    else await this.kube.create(Secret, secret, { signal });
  }

  private get authorityLifetimeMs(): number {
    return this.options.authorityLifetimeMs ?? 730 * dayMs;
  }

  private get servingLifetimeMs(): number {
    return this.options.servingLifetimeMs ?? 90 * dayMs;
  }

  private get checkMs(): number {
    return this.options.checkMs ?? 60_000;
  }
}
