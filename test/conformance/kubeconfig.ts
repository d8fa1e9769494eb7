import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ServerAddress } from './wire';

interface Kubeconfig {
  'current-context': string;
  contexts: { name: string; context: { cluster: string; user: string } }[];
  clusters: { name: string; cluster: Record<string, string | boolean | undefined> }[];
  users: { name: string; user?: Record<string, string | undefined> }[];
}

/** Where the current context of a kubeconfig points, with its certificates or token. */
export function addressIn(kubeconfig: string): ServerAddress {
  const config = parse(kubeconfig) as Kubeconfig;
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users.find(({ name }) => name === context?.user)?.user ?? {};
  if (typeof cluster?.server !== 'string') throw new Error('the kubeconfig has no server in its current context: check current-context');

  return {
    url: cluster.server,
    token: user.token,
    tls: {
      ca: pem(cluster, 'certificate-authority'),
      cert: pem(user, 'client-certificate'),
      key: pem(user, 'client-key'),
      rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
    },
  };
}

/** Inline as base64, or as the name of a file. */
function pem(from: Record<string, string | boolean | undefined>, field: string): string | undefined {
  const inline = from[`${field}-data`];
  if (typeof inline === 'string') return Buffer.from(inline, 'base64').toString();
  const path = from[field];
  return typeof path === 'string' ? readFileSync(path, 'utf8') : undefined;
}
