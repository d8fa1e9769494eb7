import { FakeClock, RecordingLogger, settle } from '@elasti/operator-kit/testing';
import type { ServiceRef } from '../directory';
import { parseRetryAfter } from './http-wake-call';
import { OperatorWaker, type WakeOutcome } from './operator-waker';
import { TokenFile } from './token-file';
import type { WakeAnswer, WakeCall } from './wake-call';

type Reply = WakeAnswer | Error | 'silence';

class ScriptedOperator implements WakeCall {
  readonly calls: string[] = [];
  open = 0;
  mostOpen = 0;
  reply: (call: number) => Reply = () => ({ status: 200 });

  async send({ namespace, service }: ServiceRef, count: number, signal: AbortSignal): Promise<WakeAnswer> {
    this.calls.push(`${namespace}/${service} ${count}`);
    this.mostOpen = Math.max(this.mostOpen, ++this.open);
    try {
      const reply = this.reply(this.calls.length);
      if (reply instanceof Error) throw reply;
      if (reply !== 'silence') return reply;
      return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    } finally {
      this.open--;
    }
  }
}

function setup({ maxConcurrentCalls }: { maxConcurrentCalls?: number } = {}) {
  const operator = new ScriptedOperator();
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const outcomes: WakeOutcome[] = [];
  const waker = new OperatorWaker(
    { retryMs: 5_000, ...(maxConcurrentCalls && { maxConcurrentCalls }) },
    { call: operator, clock, logger, random: () => 0, observe: (outcome) => outcomes.push(outcome) },
  );
  return { operator, clock, logger, waker, outcomes };
}

const demand = (service = 'web', held = 1) => ({ namespace: 'shop', service, held });

describe('OperatorWaker', () => {
  it('calls at once, and again for as long as it is wanted, also after a 200', async () => {
    const { operator, clock, waker } = setup();
    const web = demand();
    waker.want(web);
    await settle();
    const atOnce = operator.calls.length;

    web.held = 7;
    await clock.advance(4_999);
    const before = operator.calls.length;
    await clock.advance(5_001);

    expect([atOnce, before, operator.calls]).toEqual([1, 1, ['shop/web 1', 'shop/web 7', 'shop/web 7']]);
  });

  it('sends nothing more once it is satisfied, and keeps no timer', async () => {
    const { operator, clock, waker } = setup();
    const web = demand();
    waker.want(web);
    await settle();

    waker.satisfied(web);
    await clock.advance(60_000);

    expect([operator.calls.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('calls at once when it is wanted anew after a while', async () => {
    const { operator, clock, waker } = setup();
    const [before, after] = [demand(), demand()];
    waker.want(before);
    await settle();
    waker.satisfied(before);
    await clock.advance(5_000);

    waker.want(after);
    await settle();

    expect(operator.calls.length).toBe(2);
  });

  it.each<[string, Reply]>([
    ['accepts', { status: 200 }],
    ['is away', new Error('refused')],
    ['asks for a minute', { status: 503, retryAfterMs: 60_000 }],
  ])(
    'never has two calls for one Service, nor more than one a second or so because clients come and go, when the operator %s',
    async (_, reply) => {
      const { operator, clock, waker } = setup();
      operator.reply = () => reply;
      for (let client = 0; client < 100; client++) {
        const web = demand();
        waker.want(web);
        await clock.advance(100);
        waker.satisfied(web);
      }

      expect(operator.calls.length).toBeGreaterThanOrEqual(9);
      // A first failure is tried again after half a second.
      expect(operator.calls.length).toBeLessThanOrEqual(11);
      expect(operator.mostOpen).toBe(1);
    },
  );

  it.each<[string, Reply, number]>([
    ['long failures', { status: 502 }, 46_000],
    ['Retry-After', { status: 503, retryAfterMs: 60_000 }, 1_000],
  ])('asks at once for what is wanted anew, whatever %s left behind', async (_, reply, beforeMs) => {
    const { operator, clock, waker } = setup();
    const web = demand();
    operator.reply = () => reply;
    waker.want(web);
    await clock.advance(beforeMs);
    waker.satisfied(web);
    const before = operator.calls.length;
    await clock.advance(1_000);

    waker.want(web);
    await clock.advance(0);

    expect(operator.calls.length - before).toBe(1);
  });

  it('asks within a second for what is wanted anew during a call that fails', async () => {
    const { operator, clock, waker } = setup();
    const web = demand();
    const first = Promise.withResolvers<WakeAnswer>();
    const send = operator.send.bind(operator);
    operator.send = async (...parameters) => {
      const answer = await send(...parameters);
      return operator.calls.length === 1 ? first.promise : answer;
    };
    waker.want(web);
    waker.satisfied(web);
    waker.want(web);

    first.resolve({ status: 503, retryAfterMs: 60_000 });
    await clock.advance(999);
    const before = operator.calls.length;
    await clock.advance(1);

    expect([before, operator.calls.length]).toEqual([1, 2]);
  });

  it('waits longer after each failure, and calls as before once the operator is back', async () => {
    const { operator, clock, waker } = setup();
    operator.reply = (call) => (call <= 3 ? new Error('refused') : { status: 200 });
    const times: number[] = [];
    const send = operator.send.bind(operator);
    operator.send = (...parameters) => {
      times.push(clock.monotonic());
      return send(...parameters);
    };

    waker.want(demand());
    await clock.advance(10_000);

    expect(times).toEqual([0, 500, 1_500, 3_500, 8_500]);
  });

  it('does as Retry-After says', async () => {
    const { operator, clock, waker } = setup();
    operator.reply = () => ({ status: 503, retryAfterMs: 20_000 });
    waker.want(demand());

    await clock.advance(19_999);
    const before = operator.calls.length;
    await clock.advance(1);

    expect([before, operator.calls.length]).toEqual([1, 2]);
  });

  it('gives up on an answer that does not come, and tries again', async () => {
    const { operator, clock, waker, outcomes } = setup();
    operator.reply = (call) => (call === 1 ? 'silence' : { status: 200 });
    waker.want(demand());

    await clock.advance(10_500);

    expect([operator.calls.length, operator.open, outcomes]).toEqual([2, 0, ['unreachable', 'accepted']]);
  });

  it('bounds the calls under way and gives every Service its turn', async () => {
    const { operator, clock, waker } = setup({ maxConcurrentCalls: 2 });
    operator.reply = () => 'silence';
    for (const service of ['a', 'b', 'c', 'd']) waker.want(demand(service));
    await settle();
    const atFirst = [...operator.calls];

    await clock.advance(10_000);

    expect([atFirst, operator.calls.slice(0, 4), operator.mostOpen]).toEqual([
      ['shop/a 1', 'shop/b 1'],
      ['shop/a 1', 'shop/b 1', 'shop/c 1', 'shop/d 1'],
      2,
    ]);
  });

  it('does not call for one that was satisfied before its turn came, until it is wanted again', async () => {
    const { operator, clock, waker } = setup({ maxConcurrentCalls: 1 });
    operator.reply = () => 'silence';
    const [a, b] = [demand('a'), demand('b')];
    waker.want(a);
    waker.want(b);

    waker.satisfied(b);
    await clock.advance(10_000);
    const before = operator.calls.filter((call) => call.startsWith('shop/b')).length;
    waker.satisfied(a);
    operator.reply = () => ({ status: 200 });
    waker.want(demand('b'));
    await clock.advance(10_000);

    expect([before, operator.calls.at(-1)]).toEqual([0, 'shop/b 1']);
  });

  it('says once that the operator is away, and once that it is back', async () => {
    const { operator, clock, waker, logger } = setup();
    operator.reply = (call) => (call <= 6 ? { status: 502 } : { status: 200 });
    for (const service of ['a', 'b', 'c']) waker.want(demand(service));

    await clock.advance(30_000);

    expect([logger.messages('warn'), logger.messages('info')]).toEqual([['operator is away'], ['operator answers again']]);
  });

  it('says once for each Service that the operator refuses it, and goes on asking', async () => {
    const { operator, clock, waker, logger } = setup();
    operator.reply = () => ({ status: 404 });
    waker.want(demand());

    await clock.advance(30_000);

    expect(logger.messages('warn')).toEqual(['operator refused to wake']);
    expect(operator.calls.length).toBeGreaterThan(3);
  });

  it('ends what is under way when it stops, and leaves nothing behind', async () => {
    const { operator, clock, waker } = setup();
    operator.reply = (call) => (call === 1 ? { status: 200 } : 'silence');
    waker.want(demand('a'));
    waker.want(demand('b'));
    await settle();

    waker.stop();
    await clock.advance(60_000);

    expect([operator.calls.length, operator.open, clock.pendingTimers]).toEqual([2, 0, 0]);
  });
});

describe('TokenFile', () => {
  function tokens(...contents: (string | Error)[]) {
    const clock = new FakeClock();
    const file = new TokenFile('/token', clock, () => {
      const next = contents.shift() ?? new Error('no more');
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    });
    return { clock, file };
  }

  it('reads the file again after a minute, or when the token was not accepted', async () => {
    const { clock, file } = tokens('one\n', 'two\n', 'three\n');

    const seen = [await file.current(), await file.current()];
    await clock.advance(60_000);
    seen.push(await file.current());
    file.forget();
    seen.push(await file.current());

    expect(seen).toEqual(['one', 'one', 'two', 'three']);
  });

  it('keeps the token it has when the file cannot be read', async () => {
    const { clock, file } = tokens('one', new Error('EIO'));
    await file.current();

    await clock.advance(60_000);

    await expect(file.current()).resolves.toBe('one');
  });

  it('says what is missing when there never was one', async () => {
    const { file } = tokens(new Error('ENOENT'));

    await expect(file.current()).rejects.toThrow('the token for the operator cannot be read: is the volume mounted?');
  });
});

describe('parseRetryAfter', () => {
  it('takes seconds and nothing else', () => {
    expect(['3', ' 10 ', '', '-1', '1.5', 'Wed, 21 Oct 2030 07:28:00 GMT', undefined].map(parseRetryAfter)).toEqual([
      3_000,
      10_000,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
