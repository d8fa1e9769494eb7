/** `welcome`; `unknown`: no token, or no valid one; `stranger`: a valid one of somebody else; `undecided`: nobody can tell right now. */
export type AuthVerdict = 'welcome' | 'unknown' | 'stranger' | 'undecided';

/** Says who may call for a wake. Never throws, never logs a token. */
export abstract class WakeAuthenticator {
  abstract check(token: string | undefined): Promise<AuthVerdict>;
}

/** Lets everyone in, as KubeElasti does. */
export class OpenDoor extends WakeAuthenticator {
  check(): Promise<AuthVerdict> {
    return Promise.resolve('welcome');
  }
}
