import type { CredentialOptions } from './credentials';

/** Where the API server is and how to prove who we are. */
export interface ServerOptions extends CredentialOptions {
  /** `https://host:port`, with a path when it sits behind one. */
  server: string;
  /** The name in the server's certificate, when it is not the host of `server`. */
  serverName?: string;
  /** Accepts any certificate: for experiments only. Default: false. */
  insecureSkipTlsVerify?: boolean;
  /** `http://`, `https://` or `socks5://`. Default: none. */
  proxyUrl?: string;
}
