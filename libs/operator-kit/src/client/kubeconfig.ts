import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { delimiter, join } from 'node:path';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import { type ConfigView, readConfigFiles } from './kubeconfig-files';
import { InvalidRequestError } from './request.errors';
import type { ServerOptions } from './server-options';

export interface KubeConfigOptions {
  /** One that is loaded already, plugins and all; comes before everything else. It is not changed. */
  kubeConfig?: KubeConfig;
  /** A kubeconfig file. Default: the files of KUBECONFIG; then, inside a pod, its service account; then ~/.kube/config. */
  path?: string;
  /** Default: the current context of the file. */
  context?: string;
  /** Default: the environment of the process. */
  env?: Record<string, string | undefined>;
  /** Where a pod finds its service account. */
  serviceAccountFolder?: string;
}

/** A server to talk to, as a kubeconfig or the pod's service account describes it. */
export interface KubeServer extends ServerOptions {
  /** The namespace of the context, or the one this pod runs in. */
  namespace?: string;
  /** Set when the user logs in through a plugin (exec, OIDC, a cloud's): asks it for credentials through a KubeConfig without any memory of former ones. */
  plugin?: () => Promise<KubeConfig>;
}

/** @throws InvalidRequestError when there is nothing to load, or a name in it leads nowhere */
export async function loadKubeConfig(options: KubeConfigOptions = {}): Promise<KubeServer> {
  const { env = process.env, serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount' } = options;
  if (options.kubeConfig) return fromLoaded(options.kubeConfig, options.context);
  if (options.path) return fromFiles([options.path], options.context);

  const listed = env.KUBECONFIG?.split(delimiter).filter((path) => path && existsSync(path)) ?? [];
  if (listed.length > 0) return fromFiles(listed, options.context);
  if (env.KUBECONFIG) throw new InvalidRequestError('KUBECONFIG', `no file at ${env.KUBECONFIG}: correct or unset it`);

  const host = env.KUBERNETES_SERVICE_HOST;
  if (host && existsSync(join(serviceAccountFolder, 'token')))
    return inCluster(host, env.KUBERNETES_SERVICE_PORT ?? '443', serviceAccountFolder);

  const home = env.HOME && join(env.HOME, '.kube', 'config');
  if (home && existsSync(home)) return fromFiles([home], options.context);
  throw new InvalidRequestError('path', 'found no kubeconfig: give a path, set KUBECONFIG, or run in a pod with a service account');
}

/** Read without the library, which takes 80 MB that a pod can do without. */
function inCluster(host: string, port: string, folder: string): KubeServer {
  const namespaceFile = join(folder, 'namespace');
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    caFile: join(folder, 'ca.crt'),
    tokenFile: join(folder, 'token'),
    namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : undefined,
  };
}

async function fromFiles(paths: string[], contextName: string | undefined): Promise<KubeServer> {
  const { view, tokenFiles } = await readConfigFiles(paths);
  return serverIn(view, contextName, { tokenFiles, reload: (context) => reload(paths, context) });
}

function fromLoaded(config: KubeConfig, contextName: string | undefined): KubeServer {
  return serverIn(config, contextName, {
    tokenFiles: new Map(),
    reload: (context, user) => (user.exec ? copyOf(config, context) : Promise.resolve(inContext(config, context))),
  });
}

interface ConfigSource {
  tokenFiles: ReadonlyMap<string, string>;
  reload: (context: string, user: User) => Promise<KubeConfig>;
}

function serverIn(config: ConfigView, contextName: string | undefined, { tokenFiles, reload }: ConfigSource): KubeServer {
  const name = contextName ?? config.getCurrentContext();
  const context = name ? config.getContextObject(name) : null;
  if (!context) {
    const known = config.getContexts().map((candidate) => candidate.name);
    throw new InvalidRequestError(
      'context',
      `${name ? JSON.stringify(name) : 'none'} is not in the kubeconfig: choose one of ${known.join(', ')}`,
    );
  }
  const cluster = config.getCluster(context.cluster);
  if (!cluster)
    throw new InvalidRequestError('context', `${context.name} names the cluster ${context.cluster}, which is not in the kubeconfig`);
  const user = config.getUser(context.user);

  return {
    ...clusterOptions(cluster),
    ...(user && userOptions(user, tokenFiles.get(user.name))),
    namespace: context.namespace,
    plugin: user && hasPlugin(user) ? () => reload(context.name, user) : undefined,
  };
}

/** Plugins are client-node's business, so they get the files through its KubeConfig. */
async function reload(paths: string[], context: string): Promise<KubeConfig> {
  const config = await loadFiles(paths);
  config.setCurrentContext(context);
  return config;
}

/** Without what its exec plugin answered before, which only a new KubeConfig forgets. */
async function copyOf(config: KubeConfig, context: string): Promise<KubeConfig> {
  const k8s = await import('@kubernetes/client-node');
  const copy = new k8s.KubeConfig();
  copy.loadFromOptions({
    clusters: config.getClusters(),
    users: config.getUsers(),
    contexts: config.getContexts(),
    currentContext: context,
  });
  return copy;
}

/** A view rather than a copy, which would not have what was given to `addAuthenticator`. These logins know themselves when to renew. */
function inContext(config: KubeConfig, context: string): KubeConfig {
  const view = Object.create(config) as KubeConfig;
  view.setCurrentContext(context);
  return view;
}

async function loadFiles(paths: string[]): Promise<KubeConfig> {
  const k8s = await import('@kubernetes/client-node');
  const config = new k8s.KubeConfig();
  for (const path of paths) {
    const file = new k8s.KubeConfig();
    file.loadFromFile(path);
    for (const cluster of file.getClusters()) if (!config.getCluster(cluster.name)) config.addCluster(cluster);
    for (const user of file.getUsers()) if (!config.getUser(user.name)) config.addUser(user);
    for (const context of file.getContexts()) if (!config.getContextObject(context.name)) config.addContext(context);
  }
  return config;
}

function clusterOptions(cluster: Cluster): ServerOptions {
  return {
    server: cluster.server,
    ...(cluster.caData ? { ca: decoded(cluster.caData) } : { caFile: cluster.caFile ?? undefined }),
    serverName: cluster.tlsServerName ?? undefined,
    insecureSkipTlsVerify: cluster.skipTLSVerify,
    proxyUrl: cluster.proxyUrl ?? undefined,
  };
}

/** The library fills in null for what is absent. */
function userOptions(user: User, tokenFile: string | undefined): Omit<ServerOptions, 'server'> {
  const file = tokenFile ?? pluginTokenFile(user);
  return {
    ...(file ? { tokenFile: file } : { token: user.token ?? undefined }),
    ...(user.certData ? { cert: decoded(user.certData) } : { certFile: user.certFile ?? undefined }),
    ...(user.keyData ? { key: decoded(user.keyData) } : { keyFile: user.keyFile ?? undefined }),
    username: user.username ?? undefined,
    password: user.password ?? undefined,
    impersonateUser: user.impersonateUser ?? undefined,
  };
}

interface AuthProvider {
  config?: { tokenFile?: string };
}

function pluginTokenFile(user: User): string | undefined {
  return (user.authProvider as AuthProvider | null | undefined)?.config?.tokenFile;
}

function hasPlugin(user: User): boolean {
  const provider = user.authProvider as AuthProvider | null | undefined;
  return Boolean(user.exec) || (Boolean(provider) && pluginTokenFile(user) === undefined);
}

function decoded(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
