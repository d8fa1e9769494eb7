import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Cluster, Context, KubeConfig, User } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { InvalidRequestError } from './request.errors';

/** The part of a KubeConfig that names servers and users. */
export type ConfigView = Pick<KubeConfig, 'getCurrentContext' | 'getContextObject' | 'getContexts' | 'getCluster' | 'getUser'>;

export interface ConfigFiles {
  readonly view: ConfigView;
  /** By user name: client-node does not know `tokenFile`. */
  readonly tokenFiles: ReadonlyMap<string, string>;
}

interface RawKubeConfig {
  clusters?: unknown;
  contexts?: unknown;
  users?: { name: string; user?: { tokenFile?: string } }[];
  'current-context'?: string;
}

/**
 * Kubeconfig files as kubectl merges them: the first to say something wins, and paths are relative to their file.
 *
 * Read with the part of client-node that reads them, not with its KubeConfig: that one brings every model of the API along, 60 MB which only a login
 * through a plugin needs.
 */
export async function readConfigFiles(paths: readonly string[]): Promise<ConfigFiles> {
  const { newClusters, newContexts, newUsers } = await import('@kubernetes/client-node/dist/config_types.js');
  const [clusters, contexts, users] = [new Map<string, Cluster>(), new Map<string, Context>(), new Map<string, User>()];
  const tokenFiles = new Map<string, string>();
  let currentContext = '';
  for (const path of paths) {
    const raw = parseFile(path, await readFile(path, 'utf8'));
    const absolute = (file: string | undefined) => (file && !isAbsolute(file) ? join(dirname(path), file) : file);
    for (const cluster of newClusters(raw.clusters)) addOnce(clusters, { ...cluster, caFile: absolute(cluster.caFile) });
    for (const user of newUsers(raw.users)) {
      const isNew = addOnce(users, { ...user, certFile: absolute(user.certFile), keyFile: absolute(user.keyFile) });
      const tokenFile = absolute(raw.users?.find(({ name }) => name === user.name)?.user?.tokenFile);
      if (isNew && tokenFile) tokenFiles.set(user.name, tokenFile);
    }
    for (const context of newContexts(raw.contexts)) addOnce(contexts, context);
    currentContext ||= raw['current-context'] ?? '';
  }
  const view: ConfigView = {
    getCurrentContext: () => currentContext,
    getContexts: () => [...contexts.values()],
    getContextObject: (name) => contexts.get(name) ?? null,
    getCluster: (name) => clusters.get(name) ?? null,
    getUser: (name) => users.get(name) ?? null,
  };
  return { view, tokenFiles };
}

function parseFile(path: string, text: string): RawKubeConfig {
  const raw: unknown = parse(text);
  if (typeof raw === 'object' && raw !== null) return raw;
  throw new InvalidRequestError('path', `${path} is no kubeconfig: it holds no YAML object`);
}

function addOnce<T extends { readonly name: string }>(known: Map<string, T>, item: T): boolean {
  if (known.has(item.name)) return false;
  known.set(item.name, item);
  return true;
}
