/** What a TLS connection is made with; connections are never shared between identities. */
export interface TlsIdentity {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

/** Proof of who we are, at one moment. */
export interface Credential {
  /** Names and values in turn, sent with every request. */
  readonly headers: readonly string[];
  /** The same object for as long as nothing of it changed. */
  readonly tls: TlsIdentity;
}

/** Where credentials come from. */
export interface CredentialSource {
  /** The credential to use now; an unchanged one is the same object. */
  current(): Credential | Promise<Credential>;
  /** The server refused the current one: get it anew, whatever is remembered. */
  refresh(): Credential | Promise<Credential>;
}

/** `Authorization` for a bearer token, without the newline that token files end with. */
export function bearer(token: string): string[] {
  return ['authorization', `Bearer ${token.trim()}`];
}
