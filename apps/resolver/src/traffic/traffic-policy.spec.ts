import type { KnownService } from '../directory';
import type { RequestView } from '../exchange';
import { writePlainAnswer } from '../http1';
import { TrafficPolicy, type TrafficPolicyDependencies } from './traffic-policy';

const web = { namespace: 'shop', service: 'web', port: 80 };
const known: KnownService = { ...web, elastiService: 'web', coldStart: 'hold', forward: 'pod', probeResponse: [] };

function aRequest(headers: Record<string, string> = {}): RequestView {
  return { method: 'GET', target: '/', host: headers.host ?? '', header: (name) => headers[name] };
}

function setup(overrides: Partial<TrafficPolicyDependencies> = {}) {
  const told: string[] = [];
  const policy = new TrafficPolicy({
    directory: { find: () => known },
    pods: { of: () => [] },
    probes: { answer: () => undefined },
    waitingPage: { answer: () => undefined },
    sharedPort: { find: (name) => (name === 'web.shop' ? web : undefined) },
    headerForHost: 'x-for',
    meter: { identified: (source) => told.push(source), probed: () => told.push('probed') },
    ...overrides,
  });
  return { policy, told };
}

describe('TrafficPolicy.targetOf', () => {
  it.each([
    ['the configured header', { 'x-for': 'web.shop', host: 'elsewhere' }, web, 'header'],
    ['Host', { host: 'web.shop' }, web, 'host'],
    ['Host, where the header names nobody', { 'x-for': 'something else', host: 'web.shop' }, web, 'host'],
    ['neither', { 'x-for': 'nobody.shop', host: 'example.com' }, undefined, 'none'],
  ])('goes by %s', (_, headers, target, source) => {
    const { policy, told } = setup();

    expect(policy.targetOf(aRequest(headers))).toEqual(target);
    expect(told).toEqual([source]);
  });
});

describe('TrafficPolicy.answerInstead', () => {
  const probe = { answer: () => ({ status: 200, body: 'well' }) };
  const page = { answer: () => ({ status: 503, text: 'wait' }) };

  it('gives the answer of a probe first, then the waiting page', () => {
    expect(setup({ probes: probe, waitingPage: page }).policy.answerInstead(web, aRequest())).toMatchObject({ status: 200, text: 'well' });
    expect(setup({ waitingPage: page }).policy.answerInstead(web, aRequest())).toEqual({ status: 503, text: 'wait' });
    expect(setup().policy.answerInstead(web, aRequest())).toBeUndefined();
  });

  it('gives none while a pod is ready, and none for a service that nobody speaks for', () => {
    const pod = { podKey: 'a', address: '10.0.0.1', ports: new Map() };

    expect(setup({ probes: probe, pods: { of: () => [pod] } }).policy.answerInstead(web, aRequest())).toBeUndefined();
    expect(setup({ probes: probe, directory: { find: () => undefined } }).policy.answerInstead(web, aRequest())).toBeUndefined();
  });
});

describe('the answer of a probe', () => {
  it.each([
    ['as it is set, without a line end', { status: 200, body: 'well' }, '\r\n\r\nwell'],
    ['empty where none is set', { status: 200 }, 'Content-Length: 0\r\n\r\n'],
    ['none with a 204', { status: 204, body: 'well' }, '\r\n\r\n'],
  ])('has its body %s', (_, probe, end) => {
    const answer = setup({ probes: { answer: () => probe } }).policy.answerInstead(web, aRequest());

    const written = answer && writePlainAnswer(answer, 'GET', 'keep-alive');

    expect(written?.endsWith(end)).toBe(true);
  });
});

describe('TrafficPolicy.isMovingOn', () => {
  it.each([
    ['serve', true],
    ['proxy', false],
    [undefined, false],
  ] as const)('sends clients on in mode %s: %s', (mode, expected) => {
    expect(setup({ directory: { find: () => ({ ...known, mode }) } }).policy.isMovingOn(web)).toBe(expected);
  });

  it('sends the clients of a service on that nobody speaks for any more', () => {
    expect(setup({ directory: { find: () => undefined } }).policy.isMovingOn(web)).toBe(true);
  });
});
