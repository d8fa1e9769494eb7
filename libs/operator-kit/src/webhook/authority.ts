import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type * as X509 from '@peculiar/x509';
import type { ServingCertificate } from './certificate-source';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Clocks differ a little: a certificate is good from before it was made. */
const skewMs = 60 * 60_000;

/** The certificate and key of a certificate authority, both in PEM. */
export type Authority = ServingCertificate;

export interface Validity {
  nowMs: number;
  lifetimeMs: number;
}

/** Makes keys and certificates. */
export interface CertificateIssuer {
  /** A new self-signed authority. */
  createAuthority(commonName: string, validity: Validity): Promise<Authority>;
  /** A serving certificate for these DNS names and addresses, signed by the authority. */
  issueCertificate(authority: Authority, names: readonly string[], validity: Validity): Promise<ServingCertificate>;
}

async function createAuthority(commonName: string, { nowMs, lifetimeMs }: Validity): Promise<Authority> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: newSerial(),
      name: `CN=${commonName}`,
      notBefore: new Date(nowMs - skewMs),
      notAfter: new Date(nowMs + lifetimeMs),
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      ],
    },
    webcrypto,
  );
  return { cert: pem(certificate), key: await keyPem(keys.privateKey) };
}

async function issueCertificate(
  authority: Authority,
  names: readonly string[],
  { nowMs, lifetimeMs }: Validity,
): Promise<ServingCertificate> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.cert);
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: newSerial(),
      subject: `CN=${names[0]?.slice(0, 64) ?? 'webhook'}`,
      issuer: issuer.subject,
      notBefore: new Date(Math.max(nowMs - skewMs, issuer.notBefore.getTime())),
      notAfter: new Date(Math.min(nowMs + lifetimeMs, issuer.notAfter.getTime())),
      publicKey: keys.publicKey,
      signingKey: await signingKey(authority.key),
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }))),
      ],
    },
    webcrypto,
  );
  return { cert: pem(certificate), key: await keyPem(keys.privateKey) };
}

/** Loaded with the first certificate that is made: it takes 19 MB, which operators without webhooks can do without. */
function loadX509(): Promise<typeof X509> {
  return import('@peculiar/x509');
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function newSerial(): string {
  // A leading bit would make the number negative.
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

function pem(certificate: X509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

async function signingKey(keyText: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(keyText.replace(/-----[^-]+-----/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

/** ECDSA on P-256, which every API server takes and which is quick to make. */
export const ecdsaIssuer: CertificateIssuer = { createAuthority, issueCertificate };
