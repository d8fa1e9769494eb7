import { FakeClock } from '@elasti/operator-kit/testing';

import type { Held, Holder, LeaseOutcome, PodLease } from '../exchange';
import { Deadlines } from './deadlines';
import { FakeLink } from './link.fixture';
import type { ProxyContext } from './proxy-context';
import { DEFAULT_PROXY_SETTINGS } from './proxy-settings';
import { RawPassage } from './raw-passage';

const WEB = { namespace: 'shop', service: 'db', port: 5432 };
const HELLO = '\x16\x03\x01\x00\x05hello';

interface Dialled {
  readonly link: FakeLink;
  readonly open: () => void;
}

/** A passage with pods that take a connection when the test says so. The gate holds whoever comes until `lease`. */
function setup(firstWords = '') {
  const clock = new FakeClock();
  const dialled: Dialled[] = [];
  const outcomes: LeaseOutcome[] = [];
  const held: { request: Held; holder: Holder }[] = [];
  const answered = jest.fn();
  const onOver = jest.fn();
  const context = {
    gate: {
      tryEnter: () => undefined,
      hold: (_target: unknown, request: Held, holder: Holder) => {
        held.push({ request, holder });
        return { leave: () => undefined };
      },
    },
    listener: { began: jest.fn(), ended: jest.fn() },
    links: {
      dial: (_address: string, _port: number, open: () => void) => {
        const link = new FakeLink();
        dialled.push({ link, open });
        return link;
      },
    },
    deadlines: new Deadlines(clock, 250),
    settings: DEFAULT_PROXY_SETTINGS,
    clock,
  } as unknown as ProxyContext;
  const client = new FakeLink();
  const passage = new RawPassage(client, context, WEB, onOver);
  passage.start(Buffer.from(firstWords, 'latin1'));

  const lease = (more: Partial<PodLease>): PodLease => ({
    address: '10.0.0.1',
    port: 80,
    podKey: 'pod-a',
    answered,
    release: (outcome) => void outcomes.push(outcome),
    ...more,
  });
  /** Whoever waits gets a place at a pod, which takes the connection. */
  const connect = (more: Partial<PodLease> = {}): FakeLink => {
    held.at(-1)?.holder.entered(lease(more));
    const last = dialled.at(-1);
    if (last === undefined) throw new Error('nobody was dialled');
    last.open();
    return last.link;
  };
  return { clock, client, passage, connect, outcomes, held, dialled, answered, onOver };
}

describe('RawPassage, with a pod that takes the connection and leaves before a word was said', () => {
  it.each(['fails', 'endsItsSide'] as const)('looks for another, and the client notices nothing: the pod %s', (leave) => {
    const { client, connect, outcomes, held } = setup();

    connect()[leave]();
    const second = connect({ podKey: 'pod-b' });
    second.says('220 ready');

    expect([outcomes, held.at(-1)?.request.not]).toEqual([['broken'], new Set(['pod-a'])]);
    expect([client.state, client.written]).toEqual(['open', '220 ready']);
  });

  it('closes what it leaves', () => {
    const { connect } = setup();

    const pod = connect();
    pod.endsItsSide();

    expect(pod.state).toBe('destroyed');
  });

  it('tries three times, and then passes on what the pod did', () => {
    const { client, connect, outcomes, dialled, onOver } = setup();

    for (const podKey of ['pod-a', 'pod-b', 'pod-c']) connect({ podKey }).fails();

    expect([outcomes, dialled.length, client.state]).toEqual([['broken', 'broken', 'broken'], 3, 'reset']);
    expect(onOver).toHaveBeenCalledTimes(1);
  });

  it('passes on an end after three tries as one: the pod may still listen', () => {
    const { client, connect } = setup();

    for (const podKey of ['pod-a', 'pod-b']) connect({ podKey }).endsItsSide();
    const last = connect({ podKey: 'pod-c' });
    last.endsItsSide();
    client.says('a line for the log');

    expect([client.state, last.state, last.written]).toEqual(['ended', 'open', 'a line for the log']);
  });

  it('forgives a pod that still starts, however often', () => {
    const { client, connect, outcomes } = setup();

    for (let times = 0; times < 9; times++) connect({ startingSinceMs: 7 }).fails();
    connect({ startingSinceMs: 7 }).says('220 ready');

    expect([outcomes, client.written]).toEqual([Array<LeaseOutcome>(9).fill('broken'), '220 ready']);
  });

  it('keeps what the client says while it looks again', () => {
    const { client, connect } = setup();
    connect().fails();

    client.says('hello');
    const second = connect({ podKey: 'pod-b' });

    expect(second.written).toBe('hello');
  });

  it('frees its place when the client leaves meanwhile', () => {
    const { client, connect, outcomes, onOver } = setup();
    const pod = connect();

    client.fails();

    expect([outcomes, pod.state]).toEqual([['done'], 'reset']);
    expect(onOver).toHaveBeenCalledTimes(1);
  });

  it('passes on the end of a client that has nothing to say, and hears the pod', () => {
    const { client, connect } = setup();
    const pod = connect();

    client.endsItsSide();
    pod.says('Tue Nov 17');

    expect([pod.state, client.written]).toEqual(['ended', 'Tue Nov 17']);
  });

  it('ends with the streams of a resolver that drains', () => {
    const { client, passage, connect } = setup();
    const pod = connect();

    passage.endStream();

    expect([client.state, pod.state]).toEqual(['ended', 'ended']);
  });
});

describe('RawPassage, with a pod that leaves after it was sent something', () => {
  it.each([
    ['first words', HELLO, ''],
    ['words behind the connection', '', 'hello'],
  ])('sends nothing twice, and tells the gate of a pod that said nothing: %s', (_name, first, later) => {
    const { client, connect, outcomes, dialled, answered } = setup(first);
    const pod = connect();
    if (later) client.says(later);

    pod.fails();

    expect([outcomes, dialled.length, client.state]).toEqual([['broken'], 1, 'reset']);
    expect(answered).not.toHaveBeenCalled();
  });

  it('tells the gate of one that ends without a word', () => {
    const { client, connect, outcomes } = setup(HELLO);
    const pod = connect();

    pod.endsItsSide();
    client.fails();

    expect(outcomes).toEqual(['broken']);
  });

  it.each(['fails', 'endsItsSide'] as const)('holds nothing against a pod that has said something: it %s', (leave) => {
    const { client, connect, outcomes, answered } = setup(HELLO);
    const pod = connect();
    pod.says('hello');
    const atFirstWord = answered.mock.calls.length;
    pod.says('again');

    pod[leave]();
    client.fails();

    expect([outcomes, atFirstWord, answered.mock.calls.length]).toEqual([['done'], 1, 1]);
  });

  it('holds nothing against one whose client left first', () => {
    const { client, connect, outcomes } = setup(HELLO);
    const pod = connect();

    client.endsItsSide();
    pod.fails();

    expect(outcomes).toEqual(['done']);
  });

  it('holds nothing against one that was told the end', () => {
    const { passage, connect, outcomes } = setup(HELLO);
    const pod = connect();

    passage.endStream();
    pod.fails();

    expect(outcomes).toEqual(['done']);
  });
});
