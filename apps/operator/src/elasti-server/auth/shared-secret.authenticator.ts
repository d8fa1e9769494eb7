import type { Clock, Logger } from '@elasti/operator-kit';
import { timingSafeEqual } from 'node:crypto';
import { SparseLog } from '@elasti/operator-kit/program';
import { hashOf, type SecretFile } from './secret-file';
import { type AuthVerdict, WakeAuthenticator } from './wake-authenticator';

/** Welcomes whoever knows the secret; how long a comparison takes tells nothing of it. */
export class SharedSecretAuthenticator extends WakeAuthenticator {
  private readonly log: SparseLog;

  constructor(
    private readonly file: Pick<SecretFile, 'secretHashes'>,
    clock: Clock,
    logger: Logger,
  ) {
    super();
    this.log = new SparseLog(logger, clock);
  }

  async check(token: string | undefined): Promise<AuthVerdict> {
    if (token === undefined) return 'unknown';
    try {
      const given = hashOf(token);
      const secrets = await this.file.secretHashes();
      return secrets.filter((secret) => timingSafeEqual(given, secret)).length > 0 ? 'welcome' : 'unknown';
    } catch (error) {
      this.log.warn('the shared secret could not be read', { error });
      return 'undecided';
    }
  }
}
