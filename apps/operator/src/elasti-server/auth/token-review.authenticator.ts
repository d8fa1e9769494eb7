import type { Clock, KubeClient, Logger } from '@elasti/operator-kit';
import { createHash } from 'node:crypto';
import { SparseLog } from '@elasti/operator-kit/program';
import { ExpiringCache } from './expiring-cache';
import { type AuthVerdict, WakeAuthenticator } from './wake-authenticator';

/** What a token must have been issued for; one that leaks from here is of no use at the API server, and the other way round. */
export const wakeAudience = 'elasti-operator';

const reviewPath = '/apis/authentication.k8s.io/v1/tokenreviews';
const reviewTimeoutMs = 5_000;
/** Strangers with tokens of their own making must not become a flood at the API server. */
const maxReviewsAtOnce = 32;
const maxTokenLength = 16_384;

interface TokenReview {
  status?: { authenticated?: boolean; audiences?: string[]; user?: { username?: string } };
}

/**
 * Welcomes one ServiceAccount, by TokenReview.
 *
 * A verdict is kept for a short time by the token's hash, never the token; calls with one token share one review.
 * What is kept of bad tokens cannot push out the good ones.
 */
export class TokenReviewAuthenticator extends WakeAuthenticator {
  private readonly welcome: ExpiringCache<AuthVerdict>;
  private readonly refused: ExpiringCache<AuthVerdict>;
  private readonly reviews = new Map<string, Promise<AuthVerdict>>();
  private readonly username: string;
  private readonly log: SparseLog;

  constructor(
    private readonly kube: Pick<KubeClient, 'raw'>,
    serviceAccount: { readonly namespace: string; readonly name: string },
    clock: Clock,
    logger: Logger,
  ) {
    super();
    this.username = `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`;
    this.welcome = new ExpiringCache(clock, 256, 60_000);
    this.refused = new ExpiringCache(clock, 1_024, 10_000);
    this.log = new SparseLog(logger, clock);
  }

  async check(token: string | undefined): Promise<AuthVerdict> {
    if (token === undefined || token.length > maxTokenLength) return 'unknown';

    const key = createHash('sha256').update(token).digest('base64');
    const known = this.welcome.get(key) ?? this.refused.get(key) ?? this.reviews.get(key);
    if (known !== undefined) return known;
    if (this.reviews.size >= maxReviewsAtOnce) return 'undecided';

    const review = this.review(key, token).finally(() => this.reviews.delete(key));
    this.reviews.set(key, review);
    return review;
  }

  private async review(key: string, token: string): Promise<AuthVerdict> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences: [wakeAudience] } };
    try {
      const { status } = await this.kube.raw<TokenReview>('POST', reviewPath, body, { timeoutMs: reviewTimeoutMs });
      const verdict = this.verdictOn(status ?? {});
      (verdict === 'welcome' ? this.welcome : this.refused).put(key, verdict);
      return verdict;
    } catch (error) {
      this.log.warn('a token could not be reviewed', { error });
      return 'undecided';
    }
  }

  /** A server that knows nothing of audiences says yes to any token: that is none for us. */
  private verdictOn({ authenticated, audiences = [], user }: NonNullable<TokenReview['status']>): AuthVerdict {
    if (authenticated !== true || !audiences.includes(wakeAudience)) return 'unknown';
    return user?.username === this.username ? 'welcome' : 'stranger';
  }
}
