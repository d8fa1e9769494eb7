import { X509Certificate } from 'node:crypto';
import type { CertificateSet } from './rotation';

/**
 * The bundle (base64 of PEM) that makes clients trust the set: its authority and the one before while that lasts.
 *
 * Of what is there already, newer authorities stay: another replica may be ahead of what this one has read.
 */
export function buildCaBundle(set: CertificateSet, existing: string | undefined, nowMs: number): string {
  const current = new X509Certificate(set.authority.cert);
  const previous = certificatesIn(set.previousAuthority ?? '').filter(({ validToDate }) => validToDate.getTime() > nowMs);
  const newer = certificatesIn(Buffer.from(existing ?? '', 'base64').toString('utf8')).filter(
    ({ subject, validFromDate }) => subject === current.subject && validFromDate > current.validFromDate,
  );
  const unique = new Map([...newer, current, ...previous].map((one) => [one.fingerprint256, one.toString().trim()]));
  return Buffer.from(`${[...unique.values()].join('\n')}\n`).toString('base64');
}

function certificatesIn(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      // What cannot be read is no reason to trust anybody, and goes.
      return [];
    }
  });
}
