import { settle } from '@elasti/operator-kit/testing';
import fc from 'fast-check';
import { type Attempt, GateBench } from './gate.fixture';

type Step =
  | { readonly do: 'enter'; readonly exchanges: number }
  | { readonly do: 'ease'; readonly which: number }
  | { readonly do: 'leave'; readonly which: number }
  | { readonly do: 'end'; readonly which: number; readonly outcome: 'done' | 'refused' | 'broken' }
  | { readonly do: 'ready'; readonly pods: readonly string[] }
  | { readonly do: 'advance'; readonly byMs: number };

const which = fc.nat(50);
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('enter'), exchanges: fc.constantFrom(1, 1, 1, 2, 3) }), weight: 6 },
  { arbitrary: fc.record({ do: fc.constant('ease'), which }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('leave'), which }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('end'), which, outcome: fc.constantFrom('done', 'refused', 'broken') }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant('ready'), pods: fc.subarray(['a', 'b', 'c']) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('advance'), byMs: fc.integer({ min: 1, max: 3_000 }) }), weight: 2 },
);

const maxConcurrency = 2;
const maxHeld = 6;
const maxBytes = 500;
const timeoutMs = 8_000;

/** What a test knows of the requests it made, and nothing of how the gate works. */
class Witness {
  readonly bench = new GateBench({
    maxConcurrencyPerFreshPod: maxConcurrency,
    maxRequestsPerService: maxHeld,
    maxBytesPerService: maxBytes,
    requestTimeoutMs: timeoutMs,
  });
  readonly attempts: Attempt[] = [];
  readonly open = new Map<string, number>();
  readonly readySince = new Map<string, number>();
  private readonly live = new Set<Attempt>();
  private readonly wasHeld = new Set<Attempt>();
  private readonly eased = new Set<Attempt>();
  private readonly ended = new Set<Attempt>();

  async run(taken: Step): Promise<void> {
    const { bench } = this;
    switch (taken.do) {
      case 'enter': {
        const attempt = bench.enterWith(taken.exchanges);
        this.attempts.push(attempt);
        this.live.add(attempt);
        break;
      }
      case 'ease':
        this.ease(pickFrom(this.leased(), taken.which));
        break;
      case 'leave':
        pickFrom([...this.wasHeld], taken.which)?.leave();
        break;
      case 'end':
        this.end(pickFrom(this.leased(), taken.which), taken.outcome);
        break;
      case 'ready': {
        const now = bench.clock.monotonic();
        for (const pod of taken.pods) if (!this.readySince.has(`uid-${pod}`)) this.readySince.set(`uid-${pod}`, now);
        for (const key of this.readySince.keys()) if (!taken.pods.some((pod) => `uid-${pod}` === key)) this.readySince.delete(key);
        bench.ready(...taken.pods);
        break;
      }
      case 'advance':
        await bench.clock.advance(taken.byMs);
        break;
    }
    await settle();
    this.look();
  }

  /** All but one of what it brought along is over. */
  ease(attempt: Attempt | undefined): void {
    if (!attempt?.lease) return;
    this.takeOff(attempt, this.sizeOf(attempt) - 1);
    this.eased.add(attempt);
    attempt.lease.touch?.(1);
  }

  end(attempt: Attempt | undefined, outcome: 'done' | 'refused' | 'broken'): void {
    if (!attempt?.lease) return;
    this.takeOff(attempt, this.sizeOf(attempt));
    this.ended.add(attempt);
    attempt.lease.release(outcome);
  }

  leased(): Attempt[] {
    return this.attempts.filter((attempt) => attempt.lease && !this.ended.has(attempt));
  }

  held(): Attempt[] {
    return this.attempts.filter(({ state }) => state === 'held');
  }

  /** Everything that must hold after each step. */
  private look(): void {
    const { bench } = this;
    const entered = [...this.live].filter(({ state }) => state === 'entered');
    for (const attempt of entered) this.checkEntry(attempt);
    for (const attempt of this.live) {
      if (attempt.state === 'held') this.wasHeld.add(attempt);
      else this.live.delete(attempt);
    }
    for (const attempt of this.wasHeld) if (attempt.state !== 'held') this.wasHeld.delete(attempt);

    const held = this.held();
    expect(bench.gate.held).toBe(held.length);
    expect(held.length).toBeLessThanOrEqual(Math.min(maxHeld, maxBytes / 100));
    expect(bench.gate.activityOf({ namespace: 'shop', service: 'web' })?.open ?? 0).toBe(held.length + this.leased().length);
    expect(bench.wakes.length > 0).toBe(held.length > 0 && this.readySince.size === 0);
  }

  private checkEntry(attempt: Attempt): void {
    const key = attempt.lease?.podKey ?? '';
    const before = this.open.get(key) ?? 0;
    const open = before + this.sizeOf(attempt);
    this.open.set(key, open);
    if (!this.wasHeld.has(attempt)) return;

    // What was ready for longer may take more; ages by the clock as it is now are never too small.
    const ageMs = this.bench.clock.monotonic() - (this.readySince.get(key) ?? 0);
    const doublings = Math.floor(ageMs / 2_000);
    const counted = doublings > 0 ? before + 1 : open;
    if (before > 0) expect(counted).toBeLessThanOrEqual(maxConcurrency * 2 ** doublings);
    const older = this.attempts.slice(0, this.attempts.indexOf(attempt));
    expect(older.filter(({ state }) => state === 'held')).toEqual([]);
  }

  private sizeOf(attempt: Attempt): number {
    return this.eased.has(attempt) ? 1 : (attempt.exchanges ?? 1);
  }

  private takeOff({ lease }: Attempt, exchanges: number): void {
    const podKey = lease?.podKey ?? '';
    this.open.set(podKey, (this.open.get(podKey) ?? 0) - exchanges);
  }
}

function pickFrom<T>(list: readonly T[], index: number): T | undefined {
  return list.length === 0 ? undefined : list[index % list.length];
}

describe('HoldingGate, whatever happens in whatever order', () => {
  it('keeps its limits, lets the oldest go first, loses nobody, and comes back to zero', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        const witness = new Witness();
        for (const taken of steps) await witness.run(taken);

        await witness.run({ do: 'ready', pods: ['a'] });
        for (let turn = 0; turn < 50 && witness.leased().length + witness.held().length > 0; turn++) {
          for (const attempt of witness.leased()) witness.end(attempt, 'done');
          await witness.run({ do: 'advance', byMs: 200 });
        }
        await witness.bench.clock.advance(200);

        expect(witness.attempts.filter(({ state }) => state === 'held')).toEqual([]);
        expect([...witness.open.values()].every((count) => count === 0)).toBe(true);
        expect(witness.bench.gate.activityOf({ namespace: 'shop', service: 'web' })?.open ?? 0).toBe(0);
        expect([witness.bench.gate.held, witness.bench.wakes, witness.bench.clock.pendingTimers]).toEqual([0, [], 0]);
      }),
      { numRuns: 150 },
    );
  });
});
