import { GateBench, web } from '../gate/gate.fixture';
import type { GateConfig } from '../gate/gate.config';
import type { ProxyContext } from '../proxy';
import { DEFAULT_PROXY_SETTINGS } from '../proxy';
import { Deadlines } from '../proxy/deadlines';
import { FakeLink } from '../proxy/link.fixture';
import { FLAG, FRAME, frameHead, H2_ERROR, LARGEST_STREAM_ID, PREFACE, writeGoaway, writeHeaderBlock, writePing } from './frame';
import { H2Connection } from './h2-connection';
import { writeLiteral } from './header-field';
import { SETTING, writeSettings } from './settings-frame';

const SETTINGS = frameHead(0, FRAME.settings, 0, 0);

function request(id: number, method: string): string {
  const fields = { ':method': method, ':scheme': 'http', ':path': '/', ':authority': 'web' };
  const block = Object.entries(fields).map(([name, value]) => writeLiteral(name, value));
  return writeHeaderBlock(id, block.join(''), 'ends stream');
}

const answer = (id: number): string => `${frameHead(1, FRAME.headers, FLAG.endHeaders | FLAG.endStream, id)}\x88`;

/** A client of a Service that sleeps, with the real gate before it. */
function setup(overrides: Partial<GateConfig> = {}) {
  const bench = new GateBench(overrides);
  const { clock, gate } = bench;
  const statuses: (number | undefined)[] = [];
  const refusals: string[] = [];
  const dialled: { readonly address: string; readonly link: FakeLink; readonly onOpen: () => void }[] = [];
  const context = {
    gate,
    policy: { answerInstead: () => undefined, isMovingOn: () => false },
    listener: {
      began: () => undefined,
      ended: (_target: unknown, status: number | undefined) => void statuses.push(status),
      refused: (_target: unknown, reason: string) => void refusals.push(reason),
    },
    links: {
      dial: (address: string, _port: number, onOpen: () => void) => {
        const link = new FakeLink();
        dialled.push({ address, link, onOpen });
        return link;
      },
    },
    deadlines: new Deadlines(clock, 250),
    settings: DEFAULT_PROXY_SETTINGS,
    clock,
    isDraining: () => false,
  } as unknown as ProxyContext;
  const client = new FakeLink();
  new H2Connection(client, context, web, jest.fn()).start(Buffer.from(PREFACE + SETTINGS, 'latin1'));

  /** The pod that was dialled last takes the connection and greets. */
  const meetPod = async (greeting = SETTINGS): Promise<FakeLink> => {
    await clock.advance(1);
    const last = dialled.at(-1);
    if (last === undefined) throw new Error('nobody was dialled');
    last.onOpen();
    last.link.says(greeting);
    return last.link;
  };
  const open = () => gate.activityOf(web)?.open;
  return { bench, clock, client, statuses, refusals, dialled, meetPod, open };
}

describe('ServingPod, when the pod is lost and nothing is left of what it had', () => {
  const goingAway = writeGoaway(LARGEST_STREAM_ID, H2_ERROR.none);
  const heard = writePing('elasti\0\x01', 'answer');

  /** The pod is lost; another is ready. */
  async function loseIt(what: 'idle' | 'with a request that must not be repeated') {
    const scene = setup();
    const { bench, client } = scene;
    bench.ready('pod-a', 'pod-b');
    client.says(request(1, 'POST'));
    const pod = await scene.meetPod();
    if (what === 'idle') pod.says(answer(1));
    pod.fails();
    return scene;
  }

  it.each(['idle', 'with a request that must not be repeated'] as const)(
    'serves what its client had sent before it heard, %s',
    async (what) => {
      const { client, statuses, meetPod, open } = await loseIt(what);
      const told = client.written.includes(goingAway);

      client.says(request(3, 'GET'));
      const next = await meetPod();
      next.says(answer(3));
      const before = client.state;
      client.says(heard);

      expect([told, before, client.state]).toEqual([true, 'open', 'ended']);
      expect([statuses, open()]).toEqual([[what === 'idle' ? 200 : 502, 200], 0]);
    },
  );

  it('ends the connection as soon as its client has heard', async () => {
    const { client } = await loseIt('idle');

    client.says(heard);

    expect(client.state).toBe('ended');
  });

  it('waits no longer than a moment for a client that does not say so', async () => {
    const { client, clock, open } = await loseIt('idle');

    await clock.advance(1_999);
    const before = client.state;
    await clock.advance(1_000);

    expect([before, client.state, open(), clock.pendingTimers]).toEqual(['open', 'destroyed', 0, 0]);
  });

  it('answers the pings of its client that the pod owes an answer to', async () => {
    const { bench, client, meetPod } = setup();
    bench.ready('pod-a');
    client.says(request(1, 'GET'));
    const pod = await meetPod();
    pod.says(answer(1));
    client.says(writePing('12345678', 'question'));

    pod.fails();

    expect(client.written).toContain(writePing('12345678', 'answer'));
  });
});

describe('ServingPod, when the pod is lost and its requests can be repeated', () => {
  it.each([
    ['each of them was let go', 100],
    ['one was let go for all of them', 1],
  ])('lets them wait again, however many have come since, when %s', async (_, maxConcurrencyPerFreshPod) => {
    const { bench, clock, client, statuses, meetPod } = setup({ maxRequestsPerService: 2, maxConcurrencyPerFreshPod });
    client.says(request(1, 'GET') + request(3, 'GET'));
    bench.ready('pod-a');
    const pod = await meetPod();
    bench.ready();
    const later = [bench.enter(), bench.enter()];

    pod.fails();
    await clock.advance(1);

    expect(later.map(({ state }) => state)).toEqual(['held', 'held']);
    expect([statuses, bench.gate.held]).toEqual([[], 4]);
  });

  it('lets them go before those who came later', async () => {
    const { bench, clock, client, meetPod, dialled } = setup({ maxConcurrencyPerFreshPod: 1 });
    client.says(request(1, 'GET'));
    bench.ready('pod-a');
    const pod = await meetPod();
    bench.ready();
    await clock.advance(1);
    const later = bench.enter();
    await clock.advance(1);

    pod.fails();
    bench.ready('pod-b');
    await clock.advance(1);

    expect([dialled.length, later.state]).toEqual([2, 'held']);
  });

  it('answers them when their own time is over, which does not begin anew', async () => {
    const { bench, clock, client, statuses, meetPod } = setup({ requestTimeoutMs: 60_000 });
    client.says(request(1, 'GET') + request(3, 'GET'));
    await clock.advance(50_000);
    bench.ready('pod-a');
    const pod = await meetPod();
    bench.ready();

    pod.fails();
    await clock.advance(9_000);
    const before = [...statuses];
    await clock.advance(2_000);

    expect([before, statuses, bench.gate.held]).toEqual([[], [504, 504], 0]);
    expect(client.written).toContain('waited 60 s for a ready pod');
  });

  it('lets them avoid every pod that has lost them, also where less is open', async () => {
    const { bench, client, dialled, meetPod } = setup();
    client.says(request(1, 'GET'));
    bench.ready('pod-a', 'pod-b', 'pod-c');
    for (let at = 0; at < 9; at++) bench.enter({ not: new Set(['uid-pod-a', 'uid-pod-b']) });

    for (let lost = 0; lost < 2; lost++) (await meetPod()).fails();
    await meetPod();

    expect(dialled.map(({ address }) => address).sort()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  });

  it('leaves nothing of them behind when their client goes while they wait', async () => {
    const { bench, clock, client, meetPod, open } = setup();
    client.says(request(1, 'GET') + request(3, 'GET'));
    bench.ready('pod-a');
    const pod = await meetPod();
    bench.ready();
    pod.fails();
    await clock.advance(1);

    client.fails();
    await clock.advance(200);

    expect([bench.gate.held, open(), bench.wakes, clock.pendingTimers]).toEqual([0, 0, [], 0]);
  });
});

describe('ServingPod, with a pod that takes one stream at a time', () => {
  const ONE_AT_A_TIME = `${frameHead(6, FRAME.settings, 0, 0)}\0\x03\0\0\0\x01`;

  /** One request is with the pod, which does not answer it; another, that came ten seconds later, waits behind it. */
  async function crowd() {
    const scene = setup({ requestTimeoutMs: 60_000 });
    const { bench, clock, client, meetPod } = scene;
    client.says(request(1, 'GET'));
    await clock.advance(10_000);
    client.says(request(3, 'POST'));
    bench.ready('pod-a');
    return { ...scene, pod: await meetPod(ONE_AT_A_TIME) };
  }

  const sentTo = (pod: FakeLink): number => pod.written.split('x-elasti-via').length - 1;

  it('answers those that it has no room for when their time is over, and those alone', async () => {
    const { clock, client, statuses, refusals, pod, open } = await crowd();

    await clock.advance(59_000);
    const before = [...statuses];
    await clock.advance(1_000);
    const after = [...statuses];
    pod.says(answer(1));

    expect([before, after, statuses, refusals]).toEqual([[], [504], [504, 200], ['timed out']]);
    expect(client.written).toContain('shop/web:80: timed out: waited 60 s for room at the pod');
    expect([sentTo(pod), client.state, open()]).toEqual([1, 'open', 1]);
  });

  it('gives one that came when the pod was there already as long', async () => {
    const { clock, client, statuses, refusals } = await crowd();
    await clock.advance(30_000);
    client.says(request(5, 'GET'));

    await clock.advance(59_000);
    const before = [...refusals];
    await clock.advance(1_000);

    expect([before, refusals, statuses]).toEqual([['timed out'], ['timed out', 'timed out'], [504, 504]]);
  });

  it("follows the ElastiService's own timeout, also when it changes meanwhile", async () => {
    const { bench, clock, statuses } = await crowd();
    await clock.advance(20_000);

    bench.know({ timeouts: { request: 10 } });
    await clock.advance(1_000);

    expect(statuses).toEqual([504]);
  });

  it('sends it those that wait as soon as it takes more at a time', async () => {
    const { pod } = await crowd();
    const before = sentTo(pod);

    pod.says(writeSettings(new Map([[SETTING.maxConcurrentStreams, 100]])));

    expect([before, sentTo(pod)]).toEqual([1, 2]);
  });

  it('gives those that are with it as long as they take', async () => {
    const { clock, client, statuses, pod } = await crowd();
    pod.says(answer(1));
    await clock.advance(200_000);

    pod.says(answer(3));

    expect([statuses, client.written.includes('504')]).toEqual([[200, 200], false]);
  });

  it('counts what they waited behind others when it is lost and they wait at the gate', async () => {
    const { bench, clock, client, statuses, pod } = await crowd();
    client.says(request(5, 'GET'));
    await clock.advance(30_000);
    bench.ready();

    pod.fails();
    await clock.advance(29_000);
    const before = [...statuses];
    await clock.advance(1_100);

    expect([before, statuses, bench.gate.held]).toEqual([[504], [504, 504, 504], 0]);
  });

  it('leaves no timer behind when all is over', async () => {
    const { clock, client, open } = await crowd();

    client.fails();
    await clock.advance(200);

    expect([open(), clock.pendingTimers]).toEqual([0, 0]);
  });
});
