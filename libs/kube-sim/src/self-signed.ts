import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A serving certificate, its key and the authority that clients trust, all in PEM. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60_000;
const LIFETIME_MS = 365 * DAY_MS;

/** A new authority and a certificate of it for these names and addresses, good for a year. */
export async function selfSigned(names: readonly string[], nowMs: number): Promise<TlsMaterial> {
  const validity = { notBefore: new Date(nowMs - DAY_MS), notAfter: new Date(nowMs + LIFETIME_MS) };
  const authorityKeys = await newKeys();
  const authority = await X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: newSerial(),
      name: 'CN=kube-sim-ca',
      ...validity,
      keys: authorityKeys,
      signingAlgorithm: ALGORITHM,
      extensions: [new BasicConstraintsExtension(true, 0, true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
    },
    webcrypto,
  );
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: newSerial(),
      subject: 'CN=kube-sim',
      issuer: authority.subject,
      ...validity,
      publicKey: keys.publicKey,
      signingKey: authorityKeys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))),
      ],
    },
    webcrypto,
  );
  return { cert: pemOf(certificate), key: await keyPem(keys.privateKey), ca: pemOf(authority) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** Positive and of full length, as some clients read a leading bit as a sign. */
const newSerial = (): string => `4${randomBytes(16).toString('hex').slice(1)}`;

const pemOf = (certificate: X509Certificate): string => `${certificate.toString('pem')}\n`;

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${(der.match(/.{1,64}/g) ?? []).join('\n')}\n-----END PRIVATE KEY-----\n`;
}
