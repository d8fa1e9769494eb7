import { parsePrometheusMetadata, type PrometheusDefaults } from './prometheus-metadata';
import { InvalidTriggerError } from './trigger-outcome';

const metadata = { serverAddress: 'http://prometheus:9090', query: 'sum(rate(requests[1m]))', threshold: '0.5' };
const defaults: PrometheusDefaults = {
  serverAddress: 'https://Metrics.example/prom',
  authorization: 'Bearer secret',
  authorizedOrigins: ['http://second.example:8080/anything'],
};

describe('parsePrometheusMetadata', () => {
  it('reads what an object of KubeElasti has', () => {
    const headers = { 'X-Scope-OrgID': 'shop', Authorization: 'Bearer own' };

    expect(parsePrometheusMetadata({ ...metadata, headers, uptimeFilter: 'job="prom"' }, {})).toEqual({
      server: { origin: 'http://prometheus:9090', host: 'prometheus:9090', basePath: '' },
      query: 'sum(rate(requests[1m]))',
      threshold: 0.5,
      uptimeFilter: 'job="prom"',
      headers: { 'x-scope-orgid': 'shop', authorization: 'Bearer own' },
    });
  });

  it('fills in the defaults, also for empty strings', () => {
    const { server, uptimeFilter } = parsePrometheusMetadata({ ...metadata, serverAddress: '', uptimeFilter: '', headers: null }, defaults);

    expect(server).toEqual({ origin: 'https://metrics.example', host: 'metrics.example', basePath: '/prom' });
    expect(uptimeFilter).toBe('container="prometheus"');
  });

  it.each([
    ['0.5', 0.5],
    ['-1', -1],
    ['1e3', 1000],
    [' 2 ', 2],
    [3, 3],
    ['0', 0],
  ])('takes a threshold of %j', (threshold, expected) => {
    expect(parsePrometheusMetadata({ ...metadata, threshold }, {}).threshold).toBe(expected);
  });

  it('takes user and password out of the address and into a header', () => {
    const { server, headers } = parsePrometheusMetadata({ ...metadata, serverAddress: 'http://me:p%40ss@prometheus:9090/' }, defaults);

    expect(headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
    expect([server.origin, server.host, server.basePath]).toEqual(['http://prometheus:9090', 'prometheus:9090', '']);
  });

  it.each([
    [undefined, 'Bearer secret'],
    ['https://metrics.example', 'Bearer secret'],
    ['https://METRICS.example:443/other/', 'Bearer secret'],
    ['http://second.example:8080', 'Bearer secret'],
    ['http://metrics.example', undefined],
    ['https://metrics.example:8443', undefined],
    ['https://metrics.example.evil', undefined],
    ['https://metrics.example@evil.example', 'Basic bWV0cmljcy5leGFtcGxlOg=='],
    ['http://second.example', undefined],
  ])("sends the operator's own Authorization to nobody but the servers it is for: %s", (serverAddress, authorization) => {
    expect(parsePrometheusMetadata({ ...metadata, serverAddress }, defaults).headers.authorization).toBe(authorization);
  });

  it("does not put the operator's Authorization over that of the trigger", () => {
    const own = { ...metadata, serverAddress: undefined, headers: { AUTHORIZATION: 'Bearer own' } };

    expect(parsePrometheusMetadata(own, defaults).headers.authorization).toBe('Bearer own');
  });

  it.each<[unknown, string, RegExp]>([
    [undefined, 'metadata', /query and threshold/],
    ['text', 'metadata', /object/],
    [{ ...metadata, query: '' }, 'metadata.query', /missing/],
    [{ ...metadata, query: 5 }, 'metadata.query', /string/],
    [{ ...metadata, threshold: undefined }, 'metadata.threshold', /missing/],
    [{ ...metadata, threshold: 'few' }, 'metadata.threshold', /not a number/],
    [{ ...metadata, threshold: '0x10' }, 'metadata.threshold', /not a number/],
    [{ ...metadata, threshold: 'Inf' }, 'metadata.threshold', /not a number/],
    [{ ...metadata, threshold: NaN }, 'metadata.threshold', /not a number/],
    [{ ...metadata, serverAddress: undefined }, 'metadata.serverAddress', /PROMETHEUS_TRIGGER_SERVER_ADDRESS/],
    [{ ...metadata, serverAddress: 'prometheus:9090' }, 'metadata.serverAddress', /http:\/\//],
    [{ ...metadata, serverAddress: '//prometheus' }, 'metadata.serverAddress', /not a URL/],
    [{ ...metadata, serverAddress: 'file:///etc/passwd' }, 'metadata.serverAddress', /http:\/\//],
    [{ ...metadata, serverAddress: 'http://prometheus?x=1' }, 'metadata.serverAddress', /query or fragment/],
    [{ ...metadata, headers: 'a: b' }, 'metadata.headers', /object/],
    [{ ...metadata, headers: { 'a b': 'c' } }, 'metadata.headers', /name/],
    [{ ...metadata, headers: { a: 'b\r\nc: d' } }, 'metadata.headers.a', /one line/],
    [{ ...metadata, headers: { a: 1 } }, 'metadata.headers.a', /string/],
    [{ ...metadata, headers: { Host: 'other' } }, 'metadata.headers.Host', /leave it out/],
  ])('refuses %j, naming the field and the way out', (given, field, problem) => {
    const read = () => parsePrometheusMetadata(given, {});

    expect(read).toThrow(InvalidTriggerError);
    expect(read).toThrow(problem);
    expect(read).toThrow(new RegExp(`^${field}: `));
  });

  it('shows neither addresses nor headers in its errors', () => {
    const secrets = [
      { ...metadata, serverAddress: 'ftp://me:hidden@prometheus' },
      { ...metadata, serverAddress: 'http://me:hidden%@prometheus' },
      { ...metadata, serverAddress: 'http://me:hidden@prometheus?x' },
      { ...metadata, headers: { Authorization: 'hidden\n' } },
    ];

    for (const given of secrets) expect(() => parsePrometheusMetadata(given, {})).toThrow(/^(?!.*hidden)/);
  });
});
