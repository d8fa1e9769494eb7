import { X509Certificate, createPrivateKey } from 'node:crypto';

/** A certificate chain and its key, both in PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Where a server gets its certificate from, and each one after it. */
export interface CertificateSource {
  /** Resolves once the first certificate was handed to `use`, which is called again for every newer one. */
  start(use: (certificate: ServingCertificate) => void, signal: AbortSignal): Promise<void>;
  /** Resolves once nothing of it is left; also after a `start` that failed. */
  stop(): Promise<void>;
}

export class BadCertificateError extends Error {
  override readonly name = 'BadCertificateError';
}

/** @throws BadCertificateError unless the certificate can be read and belongs to the key. */
export function checkCertificate({ cert, key }: ServingCertificate): void {
  let matches: boolean;
  try {
    matches = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (cause) {
    throw new BadCertificateError('the certificate or its key cannot be read: both must be PEM', { cause });
  }
  if (!matches) throw new BadCertificateError('the key is not the one of the certificate');
}
