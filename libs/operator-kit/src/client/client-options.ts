import { type Clock, systemClock } from '../clock';
import { type Logger, silentLogger } from '../logging';
import { KitMetrics } from '../metrics';
import { ConnectionPools, type PoolFactory, undiciPool } from './connection-pools';
import type { CredentialFiles } from './credential-files';
import { credentialsFor } from './credentials';
import type { KubeServer } from './kubeconfig';
import { PluginCredentials } from './plugin-credentials';
import { InvalidRequestError } from './request.errors';
import type { ServerOptions } from './server-options';
import { Transport } from './transport';

/** Settings of a client; all have defaults. */
export interface ClientOptions {
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
  /** What its requests are counted in. Default: of its own; a manager over this client counts there, too. */
  metrics?: KitMetrics;
  userAgent?: string;
  /** Limit of a whole call, retries included. Default: 30 s. */
  timeoutMs?: number;
  /** Requests at once; more wait their turn. Watches do not count. Default: 32. */
  connections?: number;
  /** Default: 256 MiB, far above any page of a list and any object. */
  maxResponseBytes?: number;
  /** Default: 16 MiB. etcd takes objects up to 1.5 MiB, JSON of it is a few times that at most; anything larger is not an event. */
  maxEventBytes?: number;
  /** How connections are made; tests put their own here. */
  poolFactory?: PoolFactory;
  /** Where credential files are; tests put their own here. */
  files?: CredentialFiles;
}

const mebibyte = 1024 * 1024;

/** @throws InvalidRequestError for settings that cannot work */
export function transportFor(options: ServerOptions & ClientOptions & { plugin?: KubeServer['plugin'] }): Transport {
  const { clock = systemClock, logger = silentLogger, metrics = new KitMetrics() } = options;
  const { origin, pathPrefix } = parseServer(options.server);
  const pools = new ConnectionPools(
    {
      origin,
      connections: positive('connections', options.connections ?? 32),
      serverName: options.serverName,
      insecureSkipTlsVerify: options.insecureSkipTlsVerify,
      proxyUrl: checkedProxy(options.proxyUrl),
    },
    options.poolFactory ?? undiciPool,
  );
  const settings = {
    origin,
    pathPrefix,
    userAgent: options.userAgent ?? 'elasti-operator-kit',
    timeoutMs: positive('timeoutMs', options.timeoutMs ?? 30_000),
    maxResponseBytes: positive('maxResponseBytes', options.maxResponseBytes ?? 256 * mebibyte),
    maxEventBytes: positive('maxEventBytes', options.maxEventBytes ?? 16 * mebibyte),
  };
  const credentials = options.plugin
    ? new PluginCredentials(options.plugin, clock)
    : credentialsFor(options, { clock, logger, files: options.files });
  return new Transport(settings, { pools, credentials, clock, logger, metrics });
}

function parseServer(server: string): { origin: string; pathPrefix: string } {
  const url = URL.parse(server);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new InvalidRequestError('server', `${JSON.stringify(server)} is not an address: write it as https://host:port`);
  }
  return { origin: url.origin, pathPrefix: url.pathname.replace(/\/+$/, '') };
}

function checkedProxy(proxyUrl: string | undefined): string | undefined {
  if (proxyUrl && !/^(https?|socks5?):$/.test(URL.parse(proxyUrl)?.protocol ?? '')) {
    throw new InvalidRequestError('proxyUrl', 'is not the address of a proxy: write it as http://host:port, https:// or socks5://');
  }
  return proxyUrl;
}

function positive(field: string, value: number): number {
  if (!(value > 0)) throw new InvalidRequestError(field, `${value} is not a positive number`);
  return value;
}
