import { GateBench, web } from '../gate/gate.fixture';
import type { GateConfig } from '../gate/gate.config';
import type { ProxyContext } from '../proxy';
import { DEFAULT_PROXY_SETTINGS } from '../proxy';
import { Deadlines } from '../proxy/deadlines';
import { FakeLink } from '../proxy/link.fixture';
import { FLAG, FRAME, frameHead, H2_ERROR, LARGEST_STREAM_ID, PREFACE, writeGoaway, writeHeaderBlock, writePing } from './frame';
import { H2Connection } from './h2-connection';
import { writeLiteral } from './header-field';

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
  const dialled: { readonly link: FakeLink; readonly onOpen: () => void }[] = [];
  const context = {
    gate,
    policy: { answerInstead: () => undefined, isMovingOn: () => false },
    listener: { began: () => undefined, ended: (_target: unknown, status: number | undefined) => void statuses.push(status) },
    links: {
      dial: (_address: string, _port: number, onOpen: () => void) => {
        const link = new FakeLink();
        dialled.push({ link, onOpen });
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
    const { link, onOpen } = dialled.at(-1) ?? { link: new FakeLink(), onOpen: () => undefined };
    onOpen();
    link.says(greeting);
    return link;
  };
  const open = () => gate.activityOf(web)?.open;
  return { bench, clock, client, statuses, meetPod, open };
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
