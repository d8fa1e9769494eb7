import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ServingCertificate, checkCertificate } from './certificate-source';
import type { Authority } from './authority';

/** Everything the replicas share about their certificates. */
export interface CertificateSet {
  readonly authority: Authority;
  /** The certificate of the authority before: still trusted, since other replicas may serve with what it signed. */
  readonly previousAuthority?: string;
  readonly serving: ServingCertificate;
}

export type Rotation =
  /** Nothing usable is there. */
  | { action: 'start-over'; why: string }
  | { action: 'renew-authority' }
  | { action: 'renew-serving'; why: string }
  | { action: 'keep'; untilMs: number };

/** Renewed when this part of its lifetime is over: the rest is for everybody to hear of it, and for repeated failures. */
const renewAfter = 2 / 3;

/** What has to happen to the certificates at this time, to serve these names. */
export function decideRotation(set: CertificateSet | undefined, names: readonly string[], nowMs: number): Rotation {
  if (!set) return { action: 'start-over', why: 'there are none' };
  const broken = findBroken(set);
  if (broken) return { action: 'start-over', why: broken };

  const authority = new X509Certificate(set.authority.cert);
  const serving = new X509Certificate(set.serving.cert);
  if (nowMs >= authority.validToDate.getTime()) return { action: 'start-over', why: 'the authority has expired' };
  if (nowMs >= renewalMs(authority)) return { action: 'renew-authority' };
  if (!serving.verify(authority.publicKey)) return { action: 'renew-serving', why: 'another authority signed it' };
  const missing = names.find((name) => !isNamed(serving, name));
  if (missing !== undefined) return { action: 'renew-serving', why: `it does not name ${missing}` };
  if (nowMs >= renewalMs(serving)) return { action: 'renew-serving', why: 'it is due' };
  return { action: 'keep', untilMs: Math.min(renewalMs(authority), renewalMs(serving)) };
}

function isNamed(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name, { subject: 'never' })) !== undefined;
}

/** When a certificate is to be renewed, well before it expires. */
export function renewalMs({ validFromDate, validToDate }: X509Certificate): number {
  const from = validFromDate.getTime();
  return from + (validToDate.getTime() - from) * renewAfter;
}

function findBroken({ authority, serving }: CertificateSet): string | undefined {
  try {
    checkCertificate(authority);
    checkCertificate(serving);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
