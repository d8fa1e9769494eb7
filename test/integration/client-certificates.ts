import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface KeyPair {
  cert: string;
  key: string;
}

/** A certificate authority for one test: its certificate, and a way to have others signed. */
export class TestAuthority {
  private serial = 1;

  private constructor(
    private readonly certificate: X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
  ) {}

  static async create(name: string): Promise<TestAuthority> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      serialNumber: '01',
      name: `CN=${name}`,
      ...validity(),
      signingAlgorithm,
      keys,
      extensions: [new BasicConstraintsExtension(true, 1, true)],
    });
    return new TestAuthority(certificate, keys);
  }

  get ca(): string {
    return this.certificate.toString('pem');
  }

  /** A certificate for a server that goes by these names, or for a client. */
  async issue(commonName: string, dnsNames: string[] = []): Promise<KeyPair> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      serialNumber: (++this.serial).toString(16).padStart(2, '0'),
      subject: `CN=${commonName}`,
      issuer: this.certificate.subject,
      ...validity(),
      signingAlgorithm,
      signingKey: this.keys.privateKey,
      publicKey: keys.publicKey,
      extensions: dnsNames.length > 0 ? [new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value })))] : [],
    });
    const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { cert: certificate.toString('pem'), key: PemConverter.encode(pkcs8, 'PRIVATE KEY') };
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
}

function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
}
