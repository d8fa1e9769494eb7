import type { SimRequest } from '../sim-request';
import { FaultSwitches } from './fault-switches';

const noTargets = { openWatches: () => [], stopListening: () => Promise.resolve(), startListening: () => Promise.resolve() };

const request = (verb: SimRequest['verb'], resource = 'pods'): SimRequest => ({
  verb,
  resource,
  method: 'GET',
  path: '',
  group: '',
  version: 'v1',
  subresource: '',
  namespace: '',
  name: '',
  query: new URLSearchParams(),
  user: '',
});

describe('FaultSwitches', () => {
  it('hits only the requests that match, as often as asked', () => {
    const faults = new FaultSwitches(noTargets);
    faults.inject({ effect: { kind: 'expired' }, when: ({ verb }) => verb === 'list', times: 2 });

    const hits = [request('get'), request('list'), request('list'), request('list')].map((asked) => faults.take(asked).length);

    expect(hits).toEqual([0, 1, 1, 0]);
  });

  it('adds latencies up before the first other fault decides', () => {
    const faults = new FaultSwitches(noTargets);
    faults.inject({ effect: { kind: 'latency', delayMs: 5 } });
    faults.inject({ effect: { kind: 'server-error', code: 500 }, times: 1 });
    faults.inject({ effect: { kind: 'cut' } });
    faults.inject({ effect: { kind: 'latency', delayMs: 7 } });

    expect(faults.take(request('get')).map(({ kind }) => kind)).toEqual(['latency', 'latency', 'server-error']);
    expect(faults.take(request('get')).map(({ kind }) => kind)).toEqual(['latency', 'latency', 'cut']);
  });

  it.each([0, -1, 1.5, NaN])('refuses to hit %d requests', (times) => {
    const faults = new FaultSwitches(noTargets);

    expect(() => faults.inject({ effect: { kind: 'cut' }, times })).toThrow(/times is .*give a whole number from 1/);
  });

  it('ends with the rule that was taken back', () => {
    const faults = new FaultSwitches(noTargets);
    const remove = faults.inject({ effect: { kind: 'cut' } });

    remove();

    expect(faults.take(request('get'))).toEqual([]);
  });
});
