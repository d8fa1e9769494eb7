import type { Clock, KubeClient, Logger } from '@elasti/operator-kit';
import type { WakeAuthConfig } from '../../operator.config';
import { SecretFile } from './secret-file';
import { SharedSecretAuthenticator } from './shared-secret.authenticator';
import { TokenReviewAuthenticator } from './token-review.authenticator';
import { OpenDoor, type WakeAuthenticator } from './wake-authenticator';

export interface AuthenticatorParts {
  readonly kube: Pick<KubeClient, 'raw'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The check that the settings ask for. */
export function buildAuthenticator(config: WakeAuthConfig, { kube, clock, logger }: AuthenticatorParts): WakeAuthenticator {
  switch (config.mode) {
    case 'off':
      return new OpenDoor();
    case 'token-review':
      return new TokenReviewAuthenticator(kube, config.serviceAccount, clock, logger);
    case 'shared-secret':
      return new SharedSecretAuthenticator(new SecretFile(config.secretFile, clock), clock, logger);
  }
}
