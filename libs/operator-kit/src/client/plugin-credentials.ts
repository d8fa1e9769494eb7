import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Clock } from '../clock';
import type { Credential, CredentialSource, TlsIdentity } from './credential';
import { sameIdentity } from './credentials';

const recheckMs = 1000;

/** A question to the plugin on its way. */
interface Ask {
  readonly kind: 'current' | 'refresh';
  readonly answer: Promise<Credential>;
}

/**
 * Credentials of users who log in through a plugin: exec commands, OIDC, clouds.
 *
 * The KubeConfig runs the plugin and remembers its answer until it expires; it is asked once a second at most, and by one request at a time.
 * A refresh begins with a KubeConfig that remembers nothing, and what was asked before it counts no more.
 */
export class PluginCredentials implements CredentialSource {
  private config: KubeConfig | undefined;
  /** Also the refused one while a refresh is on its way, for the TLS identity that may stay. */
  private credential: Credential | undefined;
  private askedMs = Number.NEGATIVE_INFINITY;
  private asking: Ask | undefined;

  constructor(
    /** A KubeConfig that remembers nothing: used again when the server refuses what the last one gave. */
    private readonly load: () => Promise<KubeConfig>,
    private readonly clock: Clock,
  ) {}

  current(): Credential | Promise<Credential> {
    if (this.asking) return this.asking.answer;
    if (this.credential && this.clock.monotonic() - this.askedMs < recheckMs) return this.credential;
    return this.ask('current');
  }

  refresh(): Promise<Credential> {
    if (this.asking?.kind === 'refresh') return this.asking.answer;
    this.config = undefined;
    this.askedMs = Number.NEGATIVE_INFINITY;
    return this.ask('refresh');
  }

  private ask(kind: Ask['kind']): Promise<Credential> {
    const isLatest = () => this.asking === ask;
    const answer = this.askPlugin(isLatest).finally(() => {
      if (isLatest()) this.asking = undefined;
    });
    const ask: Ask = { kind, answer };
    this.asking = ask;
    return answer;
  }

  private async askPlugin(isLatest: () => boolean): Promise<Credential> {
    const config = this.config ?? (await this.load());
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);

    const credential = credentialIn(options, this.credential?.tls);
    if (!isLatest()) return credential;
    this.config = config;
    this.askedMs = this.clock.monotonic();
    return (this.credential = credential);
  }
}

function credentialIn(options: RequestOptions, before: TlsIdentity | undefined): Credential {
  const { ca, cert, key } = options as TlsIdentity;
  const tls: TlsIdentity = { ca, cert, key };
  return { headers: headersOf(options), tls: before && sameIdentity(before, tls) ? before : tls };
}

function headersOf(options: RequestOptions): string[] {
  const headers = Object.entries(options.headers ?? {}).flatMap(([name, value]) => [name.toLowerCase(), String(value)]);
  if (options.auth) headers.push('authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
  return headers;
}
