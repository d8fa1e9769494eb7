import type { Clock } from '../clock';
import type { Logger } from '../logging';
import { bearer, type Credential, type CredentialSource, type TlsIdentity } from './credential';
import { type CredentialFiles, systemFiles, WatchedFile } from './credential-files';
import { InvalidRequestError } from './request.errors';

/** Literal values and files may be mixed; a file is read again when it changes. */
export interface CredentialOptions {
  ca?: string | Buffer;
  caFile?: string;
  token?: string;
  tokenFile?: string;
  cert?: string | Buffer;
  certFile?: string;
  key?: string | Buffer;
  keyFile?: string;
  username?: string;
  password?: string;
  impersonateUser?: string;
}

export interface CredentialParts {
  clock: Clock;
  logger: Logger;
  files?: CredentialFiles;
}

const recheckMs = 1000;

type Secret = () => string | Buffer | undefined;

/**
 * Credentials from values and files.
 *
 * Files are looked at once a second at most, and only when a request is made. A file that cannot be read any more leaves the last credential in use,
 * since files are often replaced by removing them first.
 */
class FileCredentials implements CredentialSource {
  private readonly files: WatchedFile[] = [];
  private readonly secrets: Record<'token' | 'ca' | 'cert' | 'key', Secret>;
  private credential: Credential | undefined;
  private checkedMs = 0;
  /** A file has changed since the credential was built. */
  private outdated = true;

  constructor(
    private readonly options: CredentialOptions,
    private readonly parts: CredentialParts,
  ) {
    this.secrets = {
      token: this.secret(options.token, options.tokenFile),
      ca: this.secret(options.ca, options.caFile),
      cert: this.secret(options.cert, options.certFile),
      key: this.secret(options.key, options.keyFile),
    };
  }

  current(): Credential {
    if (this.credential && (this.files.length === 0 || this.parts.clock.monotonic() - this.checkedMs < recheckMs)) return this.credential;
    return this.check();
  }

  refresh(): Credential {
    for (const file of this.files) file.forget();
    return this.check();
  }

  private check(): Credential {
    this.checkedMs = this.parts.clock.monotonic();
    try {
      for (const file of this.files) if (file.reload() === 'changed') this.outdated = true;
      if (this.outdated || !this.credential) this.credential = this.build(this.credential);
      this.outdated = false;
    } catch (error) {
      if (!this.credential) throw error;
      this.parts.logger.warn('credential file cannot be read, keeping the last one', { error: (error as Error).message });
    }
    return this.credential;
  }

  private build(before: Credential | undefined): Credential {
    const { secrets, options } = this;
    const tls = { ca: secrets.ca(), cert: secrets.cert(), key: secrets.key() };
    const headers: string[] = [];
    const token = secrets.token();
    if (token !== undefined) headers.push(...bearer(token.toString()));
    else if (options.username !== undefined) headers.push('authorization', basic(options.username, options.password ?? ''));
    if (options.impersonateUser) headers.push('impersonate-user', options.impersonateUser);
    return { headers, tls: before && sameIdentity(before.tls, tls) ? before.tls : tls };
  }

  private secret(value: string | Buffer | undefined, path: string | undefined): Secret {
    if (value !== undefined || path === undefined) return () => value;
    const file = new WatchedFile(path, this.parts.files ?? systemFiles);
    this.files.push(file);
    return () => file.content;
  }
}

/** @throws InvalidRequestError for a certificate without its key, or the other way round */
export function credentialsFor(options: CredentialOptions, parts: CredentialParts): CredentialSource {
  const hasCert = options.cert !== undefined || options.certFile !== undefined;
  const hasKey = options.key !== undefined || options.keyFile !== undefined;
  if (hasCert && !hasKey) throw new InvalidRequestError('key', 'a client certificate needs its private key: set key or keyFile');
  if (hasKey && !hasCert) throw new InvalidRequestError('cert', 'a private key needs its client certificate: set cert or certFile');
  return new FileCredentials(options, parts);
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

export function sameIdentity(a: TlsIdentity, b: TlsIdentity): boolean {
  return String(a.ca) === String(b.ca) && String(a.cert) === String(b.cert) && String(a.key) === String(b.key);
}
