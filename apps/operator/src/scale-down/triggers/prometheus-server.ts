import { InvalidTriggerError } from './trigger-outcome';

/** Where a Prometheus is; credentials of its address are taken out of it, so that it can be shown. */
export interface PrometheusServer {
  readonly origin: string;
  /** With its port, for messages. */
  readonly host: string;
  /** Comes before the path of the API; without a slash at its end. */
  readonly basePath: string;
  /** What the user and password of the address make of the Authorization header. */
  readonly authorization?: string;
}

/** @throws InvalidTriggerError naming `field`; the address itself is not shown, since it may hold a password */
export function parseServerAddress(address: string, field: string): PrometheusServer {
  const url = URL.parse(address);
  if (!url) throw new InvalidTriggerError(field, 'is not a URL: write one such as http://prometheus.monitoring:9090');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidTriggerError(field, 'must begin with http:// or https://, such as http://prometheus.monitoring:9090');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new InvalidTriggerError(field, 'must not have a query or fragment: leave out what follows "?" or "#"');
  }

  const basePath = url.pathname.replace(/\/+$/, '');
  const { origin, host } = url;
  return url.username === '' && url.password === ''
    ? { origin, host, basePath }
    : { origin, host, basePath, authorization: basicAuthorization(url, field) };
}

function basicAuthorization({ username, password }: URL, field: string): string {
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials).toString('base64')}`;
  } catch {
    throw new InvalidTriggerError(field, 'has a user or password with a stray "%": write %25 for it');
  }
}
