import { isRecord, parseDecimal } from './plain-values';
import { type PrometheusServer, parseServerAddress } from './prometheus-server';
import { InvalidTriggerError } from './trigger-outcome';

/** What the installation says about Prometheus servers. */
export interface PrometheusDefaults {
  /** For triggers that name no server. */
  readonly serverAddress?: string;
  /** The Authorization header for the default server's own origin and for `authorizedOrigins`, and for nobody else. */
  readonly authorization?: string;
  readonly authorizedOrigins?: readonly string[];
}

/** A trigger's metadata, understood and complete. */
export interface PrometheusQuestion {
  readonly server: PrometheusServer;
  readonly query: string;
  readonly threshold: number;
  /** Which `up` series tell that Prometheus itself was there. */
  readonly uptimeFilter: string;
  /** Names in lower case. Never to be shown. */
  readonly headers: Readonly<Record<string, string>>;
}

const defaultUptimeFilter = 'container="prometheus"';
const headerName = /^[!#$%&'*+\-.^_`|~\w]+$/;
/** Visible characters, space and tab; anything else can break out of the header. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the metadata of a prometheus trigger, which the API server lets through as it is. Empty strings are fields left out, as in Go.
 *
 * @throws InvalidTriggerError naming the field and the way out, never showing an address or a header
 */
export function parsePrometheusMetadata(metadata: unknown, defaults: PrometheusDefaults, field = 'metadata'): PrometheusQuestion {
  if (!isRecord(metadata)) throw new InvalidTriggerError(field, 'must be an object with query and threshold');
  const text = (name: string) => optionalText(metadata[name], `${field}.${name}`);

  const query = text('query');
  if (query === undefined) throw new InvalidTriggerError(`${field}.query`, 'is missing: write a PromQL query that gives one number');
  const server = serverOf(text('serverAddress'), defaults, field);
  return {
    server,
    query,
    threshold: parseThreshold(metadata.threshold, `${field}.threshold`),
    uptimeFilter: text('uptimeFilter') ?? defaultUptimeFilter,
    headers: headersFor(server, parseHeaders(metadata.headers, `${field}.headers`), defaults),
  };
}

function serverOf(address: string | undefined, defaults: PrometheusDefaults, field: string): PrometheusServer {
  if (address !== undefined) return parseServerAddress(address, `${field}.serverAddress`);
  if (!defaults.serverAddress) {
    throw new InvalidTriggerError(
      `${field}.serverAddress`,
      'is missing, and the operator has no default: set it here, or PROMETHEUS_TRIGGER_SERVER_ADDRESS there',
    );
  }
  return parseServerAddress(defaults.serverAddress, 'PROMETHEUS_TRIGGER_SERVER_ADDRESS');
}

function parseThreshold(value: unknown, field: string): number {
  const text = typeof value === 'number' ? String(value) : optionalText(value, field)?.trim();
  if (text === undefined)
    throw new InvalidTriggerError(field, 'is missing: write the number below which the service is idle, such as "0.5"');
  const threshold = parseDecimal(text);
  if (threshold === undefined) throw new InvalidTriggerError(field, `"${text}" is not a number: write one such as "0.5"`);
  return threshold;
}

function parseHeaders(value: unknown, field: string): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw new InvalidTriggerError(field, 'must be an object of header names and values');

  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [given, text] of Object.entries(value)) {
    const name = given.toLowerCase();
    if (!headerName.test(name)) throw new InvalidTriggerError(field, 'has a name that is not one of an HTTP header');
    if (connectionHeaders.has(name))
      throw new InvalidTriggerError(`${field}.${given}`, 'belongs to the connection and cannot be set: leave it out');
    if (typeof text !== 'string' || !headerValue.test(text)) {
      throw new InvalidTriggerError(`${field}.${given}`, 'must be a string of one line');
    }
    headers[name] = text;
  }
  return headers;
}

/** The nearest word counts: a header of the trigger, then the address it names, then the installation. */
function headersFor(server: PrometheusServer, own: Record<string, string>, defaults: PrometheusDefaults): Record<string, string> {
  const authorization = own.authorization ?? server.authorization ?? (isAuthorized(server, defaults) ? defaults.authorization : undefined);
  return authorization === undefined ? own : { ...own, authorization };
}

/** Whoever may write an ElastiService must not be able to have the operator's credentials sent to a server of their own. */
function isAuthorized({ origin }: PrometheusServer, { serverAddress, authorizedOrigins = [] }: PrometheusDefaults): boolean {
  return [serverAddress, ...authorizedOrigins].some((address) => address !== undefined && URL.parse(address)?.origin === origin);
}

function optionalText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new InvalidTriggerError(field, 'must be a string');
  return value;
}
