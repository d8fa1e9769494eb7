import type { ElastiService, Trigger } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import type { ElastiDirectory } from '../crd-directory';

export interface CrdCache {
  readonly services: Readonly<Record<string, { readonly name: string; readonly spec: object; readonly status: object }>>;
}

const redacted = '[redacted]';

/** Every Service by `<namespace>/<name>` with the ElastiService that speaks for it; credentials of triggers are left out. */
export function buildCrdCache(directory: Pick<ElastiDirectory, 'list' | 'forService'>): CrdCache {
  const entries = directory.list().flatMap(({ metadata: { namespace = '' }, spec }) =>
    [spec.service, ...(spec.additionalServices ?? [])].flatMap((service) => {
      const speaker = directory.forService(namespace, service);
      return speaker ? [[`${namespace}/${service}`, describe(speaker)] as const] : [];
    }),
  );
  return { services: Object.fromEntries(entries) };
}

function describe({ metadata, spec, status }: Frozen<ElastiService>): { name: string; spec: object; status: object } {
  const triggers = spec.triggers?.map(withoutSecrets);
  return { name: metadata.name ?? '', spec: { ...spec, ...(triggers && { triggers }) }, status: status ?? {} };
}

function withoutSecrets({ type, metadata }: Frozen<Trigger>): object {
  if (!metadata) return { type };
  const { headers, serverAddress, ...rest } = metadata as { headers?: unknown; serverAddress?: unknown };
  return {
    type,
    metadata: {
      ...rest,
      ...(serverAddress !== undefined && { serverAddress: withoutUser(serverAddress) }),
      ...(headers !== undefined && { headers: redactValues(headers) }),
    },
  };
}

function redactValues(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return redacted;
  return Object.fromEntries(Object.keys(headers).map((name) => [name, redacted]));
}

/** Some write a password into the address. */
function withoutUser(address: unknown): unknown {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (!url || (url.username === '' && url.password === '')) return address;
  url.username = url.password = '';
  return url.href;
}
