import { FakeClock } from '@elasti/operator-kit/testing';

import type { Holder, LeaseOutcome, PodLease } from '../exchange';
import type { ProxyContext } from '../proxy';
import { DEFAULT_PROXY_SETTINGS } from '../proxy';
import { Deadlines } from '../proxy/deadlines';
import { FakeLink } from '../proxy/link.fixture';
import { FLAG, FRAME, frameHead, H2_ERROR, PREFACE, writeGoaway, writeHeaderBlock, writeRstStream } from './frame';
import { H2Connection } from './h2-connection';
import { writeLiteral } from './header-field';

const WEB = { namespace: 'shop', service: 'web', port: 80 };
const SETTINGS = frameHead(0, FRAME.settings, 0, 0);

const blockOf = (method: string): string =>
  Object.entries({ ':method': method, ':scheme': 'http', ':path': '/', ':authority': 'web' })
    .map(([name, value]) => writeLiteral(name, value))
    .join('');

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
    pod.says(SETTINGS);
    return pod;
  };
  return { clock, client, pod: meetPod(), outcomes, meetPod };
}

describe('H2Connection, with a pod that takes nothing', () => {
  it('gives it up after the stall limit, and says so to its client', async () => {
    const { clock, client, pod, outcomes } = setup();

    pod.takesNothing();
    await clock.advance(299_000);
    const before = [...outcomes];
    await clock.advance(302_000);

    expect([before, outcomes, pod.state]).toEqual([[], ['broken'], 'destroyed']);
    expect(client.written).toMatch(/504[^]*shop\/web:80: the pod did not take the request body in time/);
  });

  it('gives it another limit whenever it has taken something', async () => {
    const { clock, pod, outcomes } = setup();

    for (let round = 0; round < 4; round++) {
      pod.takesNothing();
      await clock.advance(290_000);
      pod.takesAll();
    }

    expect(outcomes).toEqual([]);
  });

  it('gives the next its whole limit when it is lost meanwhile', async () => {
    const { clock, pod, outcomes, meetPod } = setup('GET');

    pod.takesNothing();
    await clock.advance(599_000);
    pod.owner.onClosed(undefined);
    await clock.advance(1);
    const next = meetPod();
    next.takesNothing();
    await clock.advance(299_000);

    expect([outcomes, next.state]).toEqual([['broken'], 'open']);
  });

  it('takes the client for the cause when that takes nothing either', async () => {
    const { clock, client, pod, outcomes } = setup();

    pod.takesNothing();
    client.takesNothing();
    await clock.advance(601_000);

    expect([client.state, outcomes]).toEqual(['destroyed', ['done']]);
  });

  it('gives a client its whole limit that stops reading when the limit of the pod is over', async () => {
    const { clock, client, pod } = setup();

    pod.takesNothing();
    await clock.advance(599_000);
    client.takesNothing();
    await clock.advance(299_000);

    expect(client.state).toBe('open');
  });

  it('does not reproach a client with a header block whose end it does not read', async () => {
    const { clock, client, pod } = setup();
    const begun = blockOf('PUT');

    pod.takesNothing();
    client.says(frameHead(begun.length, FRAME.headers, 0, 3) + begun);
    await clock.advance(60_000);
    pod.takesAll();
    client.says(frameHead(0, FRAME.continuation, FLAG.endHeaders, 3));

    expect(client.written).not.toContain(writeGoaway(1, H2_ERROR.enhanceYourCalm));
    expect(pod.written).toMatch(/POST[^]*PUT/);
  });
});

describe('H2Connection, with a client that takes nothing', () => {
  it('does not keep it for ever when it has cancelled its stream in the middle of the head of an answer', async () => {
    const { clock, client, pod, outcomes } = setup();

    client.takesNothing();
    pod.says(`${frameHead(1, FRAME.headers, 0, 1)}\x88`);
    client.says(writeRstStream(1, H2_ERROR.cancel));
    await clock.advance(601_000);

    expect([client.state, outcomes, clock.pendingTimers]).toEqual(['destroyed', ['done'], 0]);
  });
});
