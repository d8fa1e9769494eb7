import type { ObjectRef, Secret } from '../client';
import type { CertificateSet } from './rotation';

/** The set as a `kubernetes.io/tls` Secret; anything else that `base` holds stays. */
export function buildCertificateSecret(ref: ObjectRef, set: CertificateSet, base?: Secret): Secret {
  return {
    ...(base ?? { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: ref.namespace, name: ref.name }, type: 'kubernetes.io/tls' }),
    data: {
      ...base?.data,
      'tls.crt': encode(set.serving.cert),
      'tls.key': encode(set.serving.key),
      'ca.crt': encode(set.authority.cert),
      'ca.key': encode(set.authority.key),
      'ca-previous.crt': encode(set.previousAuthority ?? ''),
    },
  };
}

/** Undefined when a part is missing, as in a Secret that was made empty for us to fill. */
export function readCertificateSecret({ data = {} }: Secret): CertificateSet | undefined {
  const part = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
  const authority = { cert: part('ca.crt'), key: part('ca.key') };
  const serving = { cert: part('tls.crt'), key: part('tls.key') };
  if (!authority.cert || !authority.key || !serving.cert || !serving.key) return undefined;
  return { authority, serving, previousAuthority: part('ca-previous.crt') || undefined };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
