import type { ServiceRef } from '../directory';

/** What a Host or the configured header names. */
export interface ServiceHost extends ServiceRef {
  /** Absent when none is said. */
  readonly port?: number;
}

const maxLength = 1_024;
const shape = /^(?:https?:\/\/)?(?<host>[^/:@?#\s]+)(?::(?<port>[1-9]\d{0,4}))?(?:\/[\x21-\x7e]*)?$/i;
const label = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Reads `web.shop`, `web.shop.svc` and `web.shop.svc.<cluster domain>`, with or without `http://`, `:port`, a path or `/*`.
 *
 * Anything else is `undefined`. What comes back is a name to look up, never an address.
 */
export function parseServiceHost(text: string, clusterDomain: string): ServiceHost | undefined {
  if (text.length > maxLength) return undefined;
  const { host = '', port } = shape.exec(text)?.groups ?? {};
  const [service, namespace, ...rest] = host.toLowerCase().split('.');
  if (!service || !namespace || !label.test(service) || !label.test(namespace)) return undefined;
  const suffixes = ['svc', `svc.${clusterDomain}`, `svc.${clusterDomain}.`];
  if (rest.length > 0 && !suffixes.includes(rest.join('.'))) return undefined;
  if (port === undefined) return { namespace, service };
  return Number(port) <= 65_535 ? { namespace, service, port: Number(port) } : undefined;
}
