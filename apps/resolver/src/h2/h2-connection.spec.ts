import { FakeClock } from '@elasti/operator-kit/testing';

import type { Holder, LeaseOutcome, PodLease } from '../exchange';
import type { ProxyContext } from '../proxy';
import { DEFAULT_PROXY_SETTINGS } from '../proxy';
import { Deadlines } from '../proxy/deadlines';
import { Link } from '../proxy/link';
import { ReadBuffers } from '../proxy/read-buffers';
import { FLAG, FRAME, frameHead, H2_ERROR, PREFACE, writeGoaway, writeHeaderBlock, writeRstStream } from './frame';
import { H2Connection } from './h2-connection';
import { writeLiteral } from './header-field';

const WEB = { namespace: 'shop', service: 'web', port: 80 };
const SETTINGS = frameHead(0, FRAME.settings, 0, 0);

const blockOf = (method: string): string =>
  Object.entries({ ':method': method, ':scheme': 'http', ':path': '/', ':authority': 'web' })
    .map(([name, value]) => writeLiteral(name, value))
    .join('');

/** One that takes what is written to it, or does not, as the test says. */
class FakeLink extends Link {
  readonly remoteAddress = '10.0.0.9';
  readonly bytesRead = 0;
  state: 'open' | 'ended' | 'destroyed' = 'open';
  written = '';

  constructor() {
    super(new ReadBuffers());
  }

  say(text: string): void {
    this.owner.onBytes(Buffer.from(text, 'latin1'), text.length);
  }

  takeNothing(): void {
    this.congested = true;
  }

  takeAll(): void {
    this.congested = false;
    this.owner.onDrain();
  }

  write(latin1: string): boolean {
    this.written += latin1;
    return !this.congested;
  }

  end(): void {
    this.state = 'ended';
  }

  destroy(): void {
    this.state = 'destroyed';
  }

  reset(): void {
    this.state = 'destroyed';
  }

  protected startReading(): void {
    // What it reads comes by `say`.
  }

  protected stopReading(): void {
    // As above.
  }

  protected writeLasting(bytes: Buffer): boolean {
    return this.write(bytes.toString('latin1'));
  }

  protected writeTogether(latin1: string, bytes: Buffer, start: number, end: number): boolean {
    return this.write(latin1 + bytes.toString('latin1', start, end));
  }
}

/** A client whose request is with a pod. */
function setup(method = 'POST') {
  const clock = new FakeClock();
  const outcomes: LeaseOutcome[] = [];
  const lease: PodLease = { podKey: 'pod-a', address: '10.0.0.1', port: 80, release: (outcome) => void outcomes.push(outcome) };
  const pods: FakeLink[] = [];
  let onOpen: () => void = () => undefined;
  const context = {
    gate: {
      tryEnter: () => lease,
      hold: (_target: unknown, _held: unknown, holder: Holder): void => {
        holder.entered(lease);
      },
    },
    policy: { answerInstead: () => undefined, isMovingOn: () => false },
    listener: { began: () => undefined, ended: () => undefined },
    links: {
      dial: (_address: string, _port: number, opened: () => void) => {
        onOpen = opened;
        const pod = new FakeLink();
        pods.push(pod);
        return pod;
      },
    },
    deadlines: new Deadlines(clock, 250),
    settings: DEFAULT_PROXY_SETTINGS,
    clock,
    isDraining: () => false,
  } as unknown as ProxyContext;
  const client = new FakeLink();
  const request = writeHeaderBlock(1, blockOf(method), 'ends stream');
  new H2Connection(client, context, WEB, jest.fn()).start(Buffer.from(PREFACE + SETTINGS + request, 'latin1'));
  const meetPod = (): FakeLink => {
    onOpen();
    const pod = pods.at(-1) ?? new FakeLink();
    pod.say(SETTINGS);
    return pod;
  };
  return { clock, client, pod: meetPod(), outcomes, meetPod };
}

describe('H2Connection, with a pod that takes nothing', () => {
  it('gives it up after the stall limit, and says so to its client', async () => {
    const { clock, client, pod, outcomes } = setup();

    pod.takeNothing();
    await clock.advance(299_000);
    const before = [...outcomes];
    await clock.advance(302_000);

    expect([before, outcomes, pod.state]).toEqual([[], ['broken'], 'destroyed']);
    expect(client.written).toMatch(/504[^]*shop\/web:80: the pod did not take the request body in time/);
  });

  it('gives it another limit whenever it has taken something', async () => {
    const { clock, pod, outcomes } = setup();

    for (let round = 0; round < 4; round++) {
      pod.takeNothing();
      await clock.advance(290_000);
      pod.takeAll();
    }

    expect(outcomes).toEqual([]);
  });

  it('gives the next its whole limit when it is lost meanwhile', async () => {
    const { clock, pod, outcomes, meetPod } = setup('GET');

    pod.takeNothing();
    await clock.advance(599_000);
    pod.owner.onClosed(undefined);
    await clock.advance(1);
    const next = meetPod();
    next.takeNothing();
    await clock.advance(299_000);

    expect([outcomes, next.state]).toEqual([['broken'], 'open']);
  });

  it('takes the client for the cause when that takes nothing either', async () => {
    const { clock, client, pod, outcomes } = setup();

    pod.takeNothing();
    client.takeNothing();
    await clock.advance(601_000);

    expect([client.state, outcomes]).toEqual(['destroyed', ['done']]);
  });

  it('gives a client its whole limit that stops reading when the limit of the pod is over', async () => {
    const { clock, client, pod } = setup();

    pod.takeNothing();
    await clock.advance(599_000);
    client.takeNothing();
    await clock.advance(299_000);

    expect(client.state).toBe('open');
  });

  it('does not reproach a client with a header block whose end it does not read', async () => {
    const { clock, client, pod } = setup();
    const begun = blockOf('PUT');

    pod.takeNothing();
    client.say(frameHead(begun.length, FRAME.headers, 0, 3) + begun);
    await clock.advance(60_000);
    pod.takeAll();
    client.say(frameHead(0, FRAME.continuation, FLAG.endHeaders, 3));

    expect(client.written).not.toContain(writeGoaway(1, H2_ERROR.enhanceYourCalm));
    expect(pod.written).toMatch(/POST[^]*PUT/);
  });
});

describe('H2Connection, with a client that takes nothing', () => {
  it('does not keep it for ever when it has cancelled its stream in the middle of the head of an answer', async () => {
    const { clock, client, pod, outcomes } = setup();

    client.takeNothing();
    pod.say(`${frameHead(1, FRAME.headers, 0, 1)}\x88`);
    client.say(writeRstStream(1, H2_ERROR.cancel));
    await clock.advance(601_000);

    expect([client.state, outcomes, clock.pendingTimers]).toEqual(['destroyed', ['done'], 0]);
  });
});
