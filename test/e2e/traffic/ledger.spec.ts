import { Ledger, rules, within } from './ledger';
import { type Look, spansGivenUp } from './node-vigil';
import type { LostRequest, TrafficTally } from './traffic';

/** Needs no cluster: what excuses losses must not excuse too many. */
const aLoss = (more: Partial<LostRequest>): LostRequest => ({ number: 1, method: 'GET', atMs: 1_000, tookMs: 1, ...more });
const aTally = (...lost: LostRequest[]): TrafficTally => ({ sent: lost.length, answered: 0, lost, pods: [], longestMs: 1 });

describe('Ledger', () => {
  it('excuses what a rule covers within its spans, and nothing before or after', () => {
    const losses = [999, 1_000, 2_000, 2_001].map((atMs) => aLoss({ atMs, method: 'POST', status: 502 }));

    const left = new Ledger().enter('killed', aTally(...losses), [within([{ fromMs: 1_000, toMs: 2_000 }], rules.postSentInFull)]);

    expect(left.map(({ atMs }) => atMs)).toEqual([999, 2_001]);
  });

  it('excuses no more than it may', () => {
    const losses = [1, 2, 3].map((atMs) => aLoss({ atMs, error: 'ECONNREFUSED' }));

    expect(new Ledger().enter('given up', aTally(...losses), [rules.nodeGivenUp], 2)).toHaveLength(1);
  });

  it.each([['keptConnectionCut'], ['exitAtOnce']] as const)('excuses by %s nothing that a resolver cut off', (rule) => {
    const cut = { connection: 'used before', error: 'ECONNRESET' } as const;

    expect(rules[rule].covers(aLoss({ ...cut, lastAnsweredBy: 'pod' }))).toBe(true);
    expect(rules[rule].covers(aLoss({ ...cut, lastAnsweredBy: 'resolver' }))).toBe(false);
  });
});

describe('spansGivenUp', () => {
  const looks = (...nodes: Look['nodes'][]): Look[] => nodes.map((one, position) => ({ beganMs: position * 10, nodes: one }));

  it('finds none while all nodes are ready, or nobody can look', () => {
    expect(spansGivenUp(looks('all ready', 'not seen', 'all ready'))).toEqual([]);
  });

  it('begins with the look before the first that missed a node, and ends with the next that found all', () => {
    expect(spansGivenUp(looks('all ready', 'not seen', 'some not ready', 'not seen', 'some not ready', 'all ready', 'all ready'))).toEqual([
      { fromMs: 10, toMs: 50 },
    ]);
  });

  it('finds each time, and one without an end', () => {
    expect(spansGivenUp(looks('some not ready', 'all ready', 'some not ready'))).toEqual([
      { fromMs: 0, toMs: 10 },
      { fromMs: 10, toMs: Infinity },
    ]);
  });
});
