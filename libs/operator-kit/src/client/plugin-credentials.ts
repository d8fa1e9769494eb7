import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Clock } from '../clock';
import type { Credential, CredentialSource, TlsIdentity } from './credential';
import { sameIdentity } from './credentials';

const recheckMs = 1000;

/**
 * Credentials of users who log in through a plugin: exec commands, OIDC, clouds.
 *
 * The KubeConfig runs the plugin and remembers its answer until it expires; it is asked once a second at most, and by one request at a time.
 */
export class PluginCredentials implements CredentialSource {
  private config: KubeConfig | undefined;
  private credential: Credential | undefined;
  private askedMs = 0;
  private asking: Promise<Credential> | undefined;

  constructor(
    /** A KubeConfig that remembers nothing: used again when the server refuses what the last one gave. */
    private readonly load: () => Promise<KubeConfig>,
    private readonly clock: Clock,
  ) {}

  current(): Credential | Promise<Credential> {
    if (this.credential && this.clock.monotonic() - this.askedMs < recheckMs) return this.credential;
    return this.ask();
  }

  refresh(): Promise<Credential> {
    this.config = undefined;
    this.credential = undefined;
    return this.ask();
  }

  private ask(): Promise<Credential> {
    this.asking ??= this.askPlugin().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async askPlugin(): Promise<Credential> {
    const config = (this.config ??= await this.load());
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    this.askedMs = this.clock.monotonic();

    const { ca, cert, key } = options as TlsIdentity;
    const tls: TlsIdentity = { ca, cert, key };
    const before = this.credential;
    this.credential = { headers: headersOf(options), tls: before && sameIdentity(before.tls, tls) ? before.tls : tls };
    return this.credential;
  }
}

function headersOf(options: RequestOptions): string[] {
  const headers = Object.entries(options.headers ?? {}).flatMap(([name, value]) => [name.toLowerCase(), String(value)]);
  if (options.auth) headers.push('authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
  return headers;
}
