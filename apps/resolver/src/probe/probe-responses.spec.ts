import type { ProbeResponse } from '@elasti/api';
import { RecordingLogger } from '@elasti/operator-kit/testing';
import { RE2JS } from 're2js';
import type { ProbeRequest } from './probe-request';
import { ProbeResponses } from './probe-responses';

type Draft = Omit<ProbeResponse, 'response'> & { response?: ProbeResponse['response'] };

function request(
  target: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): ProbeRequest {
  return { method, target, header: (name) => headers[name] };
}

function setup(...drafts: Draft[]) {
  const logger = new RecordingLogger();
  const probes = new ProbeResponses(logger);
  const probeResponse = drafts.map((draft, index): ProbeResponse => ({ response: { status: 200, body: `entry ${index}` }, ...draft }));
  const service = { namespace: 'shop', elastiService: 'web', probeResponse };
  const answer = (asked: ProbeRequest) => probes.answer(service, asked);
  return { logger, answer, matches: (...parameters: Parameters<typeof request>) => answer(request(...parameters)) !== undefined };
}

describe('ProbeResponses, paths', () => {
  it.each([
    ['/abc', '/abc', true],
    ['/abc', '/abc/', true],
    ['/abc', '/abc/def', true],
    ['/abc', '/abc?x=/', true],
    ['/abc', '/abcd', false],
    ['/abc', '/ABC', false],
    ['/abc/', '/abc', true],
    ['/abc/', '/abc/def', true],
    ['/abc/', '/abcd', false],
    ['/', '/', true],
    ['/', '/anything/at?all', true],
    ['/abc', 'http://web.shop/abc/def', true],
    ['/', 'http://web.shop', true],
    ['/a%20b', '/a%20b', true],
  ])('prefix %s and %s: %s', (value, target, expected) => {
    const { matches } = setup({ path: { type: 'PathPrefix', value } });

    expect(matches(target)).toBe(expected);
  });

  it.each([
    ['/abc', '/abc', true],
    ['/abc', '/abc?query', true],
    ['/abc', '/abc/', false],
    ['/abc', '/abc/def', false],
  ])('exact %s and %s: %s', (value, target, expected) => {
    const { matches } = setup({ path: { type: 'Exact', value } });

    expect(matches(target)).toBe(expected);
  });

  it.each([
    ['health', '/v1/healthz', true],
    ['^/health', '/v1/health', false],
    ['^/v[0-9]+/live$', '/v12/live?x', true],
    ['live$', '/live/x', false],
  ])('regular expression %s and %s: %s', (value, target, expected) => {
    const { matches } = setup({ path: { type: 'RegularExpression', value } });

    expect(matches(target)).toBe(expected);
  });

  it('takes every path when none is said', () => {
    const { matches } = setup({});

    expect([matches('/'), matches('/x/y'), matches('*')]).toEqual([true, true, true]);
  });
});

describe('ProbeResponses, the rest of a request', () => {
  it('matches the method as it is', () => {
    const { matches } = setup({ method: 'HEAD' });

    expect([matches('/', { method: 'HEAD' }), matches('/', { method: 'GET' })]).toEqual([true, false]);
  });

  it('finds headers whatever the case of their names, and needs all of them', () => {
    const { matches } = setup({
      headers: [
        { name: 'User-Agent', value: 'kube-probe', type: 'RegularExpression' },
        { name: 'X-PROBE', value: 'yes' },
      ],
    });

    expect(matches('/', { headers: { 'user-agent': 'kube-probe/1.36', 'x-probe': 'yes' } })).toBe(true);
    expect(matches('/', { headers: { 'user-agent': 'kube-probe/1.36', 'x-probe': 'yes!' } })).toBe(false);
    expect(matches('/', { headers: { 'user-agent': 'kube-probe/1.36' } })).toBe(false);
  });

  it('looks only at the first of several entries of one header or parameter', () => {
    const { matches } = setup({
      headers: [
        { name: 'X-Probe', value: 'a' },
        { name: 'x-probe', value: 'b' },
      ],
      queryParams: [
        { name: 'p', value: '1' },
        { name: 'p', value: '2' },
      ],
    });

    expect(matches('/?p=1', { headers: { 'x-probe': 'a' } })).toBe(true);
  });

  it('compares the decoded first value of a query parameter, by its exact name', () => {
    const { matches } = setup({ queryParams: [{ name: 'check', value: 'a b' }] });

    expect(['/?check=a%20b', '/?check=a+b', '/?check=x&check=a+b', '/?Check=a+b', '/'].map((target) => matches(target))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('needs everything that is said to match', () => {
    const { matches } = setup({
      path: { value: '/live' },
      method: 'GET',
      queryParams: [{ name: 'v', value: '^1', type: 'RegularExpression' }],
    });

    expect([matches('/live?v=12'), matches('/live?v=21'), matches('/dead?v=12'), matches('/live?v=1', { method: 'PUT' })]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('ProbeResponses, answers', () => {
  it('gives the answer of the first entry that matches', () => {
    const { answer } = setup({ path: { value: '/x' } }, { path: { value: '/a' } }, {});

    expect([answer(request('/a/b')), answer(request('/c'))]).toEqual([
      { status: 200, body: 'entry 1' },
      { status: 200, body: 'entry 2' },
    ]);
  });

  it('gives a 204 no body', () => {
    const { answer } = setup({ response: { status: 204, body: 'no' } });

    expect(answer(request('/'))).toEqual({ status: 204 });
  });

  it('has nothing to say when nothing matches, or nothing is there', () => {
    expect([setup({ method: 'PUT' }).answer(request('/')), setup().answer(request('/'))]).toEqual([undefined, undefined]);
  });

  it('looks at 32 entries at most', () => {
    const drafts = Array.from({ length: 33 }, (_, index): Draft => ({ path: { type: 'Exact', value: `/${index}` } }));
    const { matches } = setup(...drafts);

    expect([matches('/31'), matches('/32')]).toEqual([true, false]);
  });
});

describe('ProbeResponses, bad regular expressions', () => {
  it.each(['(', '(?=x)', '(a)\\1', 'a{1001}', 'a{900}b{900}c{900}d{900}e{900}f{900}'])('never matches %s, and says so once', (value) => {
    const { matches, logger } = setup({ path: { type: 'RegularExpression', value } }, { path: { value: '/other' } });

    const seen = [matches('/aaa('), matches('/'), matches('/other')];

    expect(seen).toEqual([false, false, true]);
    expect(logger.entries).toMatchObject([{ level: 'warn', fields: { field: 'spec.probeResponse[0]', name: 'web' } }]);
  });

  it('does not match a value that is too long for the size of its pattern, rather than keep everybody waiting', () => {
    const { matches } = setup({ headers: [{ name: 'x', type: 'RegularExpression', value: 'a{400}c' }] });

    const [short, long] = [400, 20_000].map((length) => matches('/', { headers: { x: `${'a'.repeat(length)}c` } }));

    expect([short, long]).toEqual([true, false]);
  });
});

describe('ProbeResponses, the steps that one request may take', () => {
  afterEach(() => jest.restoreAllMocks());

  const pattern = (value: string): Draft => ({ path: { type: 'RegularExpression', value } });
  const longPath = `/${'a'.repeat(8_000)}`;

  /** The most steps that everything takes which is matched by patterns from now on. */
  function countSteps(): () => number {
    const { mock } = jest.spyOn(RE2JS.prototype, 'test');
    const sizeOf = (at: number): number => (mock.contexts[at] as RE2JS).programSize();
    return () => mock.calls.reduce((steps, [value], at) => steps + value.length * sizeOf(at), 0);
  }

  it('are bounded for all its patterns together, however many there are', () => {
    const header = (index: number) => ({ name: `h${index}`, type: 'RegularExpression' as const, value: 'a*b?$' });
    const headers = Array.from({ length: 16 }, (_, index) => header(index));
    const { matches } = setup(...Array.from({ length: 32 }, (): Draft => ({ ...pattern('a*x?$'), headers: [...headers, header(99)] })));
    const values = Object.fromEntries(headers.map(({ name }) => [name, 'a'.repeat(1_500)]));
    const steps = countSteps();

    expect(matches(longPath, { headers: values })).toBe(false);

    expect(steps()).toBeGreaterThan(100_000);
    expect(steps()).toBeLessThanOrEqual(200_000);
  });

  it('are not taken for one long value after the other', () => {
    const { matches } = setup(pattern('x(a|b|c|d)*y'), pattern('(a|b|c|d)*z'), pattern('^(b|c|d)*$'), pattern('(c|d)*q'));
    const steps = countSteps();

    expect(matches(longPath)).toBe(false);

    expect(steps()).toBeLessThanOrEqual(200_000);
  });

  it('once used up let no pattern match, and leave what costs nothing as it is', () => {
    const costly = pattern('(a|b|c|d){20}x');
    const exact: Draft = { path: { type: 'Exact', value: longPath } };

    const [alone, behind] = [setup(pattern('^/a')), setup(costly, pattern('^/a'))].map(({ matches }) => matches(longPath));
    const { answer } = setup(costly, exact);

    expect([alone, behind]).toEqual([true, false]);
    expect(answer(request(longPath))).toMatchObject({ body: 'entry 1' });
  });

  it('begin anew with each request', () => {
    const { matches } = setup(pattern('^/a+$'));

    expect(Array.from({ length: 20 }, () => matches(longPath))).toEqual(Array(20).fill(true));
  });

  it('are not taken where something cheaper tells that an entry does not match', () => {
    const { matches } = setup({ ...pattern('a'), headers: [{ name: 'x', value: 'yes' }] });
    const steps = countSteps();

    expect(matches('/a')).toBe(false);

    expect(steps()).toBe(0);
  });
});
