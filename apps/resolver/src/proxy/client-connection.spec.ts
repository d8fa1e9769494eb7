import { FakeClock } from '@elasti/operator-kit/testing';

import { PartialHeads } from '../http1';
import { ClientConnection } from './client-connection';
import { Deadlines } from './deadlines';
import { FakeLink } from './link.fixture';
import { ProtocolByFirstBytes } from './protocol-by-first-bytes';
import type { Links } from './links';
import type { ProxyContext } from './proxy-context';
import { DEFAULT_PROXY_SETTINGS } from './proxy-settings';
import { UpstreamPools } from './upstream-pools';

const WEB = { namespace: 'shop', service: 'web', port: 80 };
const GET = 'GET / HTTP/1.1\r\nHost: web\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n';

/** A client that takes what is written to it only when the test says so. */
function slowLink(): FakeLink {
  const link = new FakeLink();
  link.isSlow = true;
  return link;
}

/** Every request is answered at once, by the resolver itself. */
function setup(link = slowLink(), partialHeads = new PartialHeads()) {
  const clock = new FakeClock();
  const refused = jest.fn();
  const context = {
    gate: { tryEnter: () => undefined },
    policy: { answerInstead: () => ({ status: 200, text: 'ok' }) },
    listener: { refused },
    sniffer: new ProtocolByFirstBytes(),
    partialHeads,
    deadlines: new Deadlines(clock, 250),
    settings: DEFAULT_PROXY_SETTINGS,
    clock,
    isDraining: () => false,
  } as unknown as ProxyContext;
  const connection = new ClientConnection(link, context, WEB, jest.fn(), jest.fn());
  return { clock, link, connection, refused };
}

describe('ClientConnection, with a client that reads slowly', () => {
  it.each([
    ['kept', GET, 'open'],
    ['closed', LAST, 'ended'],
  ])('leaves a client its last answer beyond the idle time, on a connection that is %s after it', async (_name, request, state) => {
    const { clock, link } = setup();

    link.says(request);
    await clock.advance(299_000);

    expect(link.state).toBe(state);
  });

  it.each([
    ['kept', GET],
    ['closed', LAST],
  ])('gives up on a client that takes nothing for the stall limit, on a connection that is %s after it', async (_name, request) => {
    const { clock, link } = setup();

    link.says(request);
    await clock.advance(601_000);

    expect([link.state, clock.pendingTimers]).toEqual(['destroyed', 0]);
  });

  it('does not take a client for idle while its answer is under way, though the process drains', async () => {
    const { clock, link, connection } = setup();
    link.says(GET);

    connection.closeIfIdle();
    await clock.advance(60_000);
    const before = link.state;
    link.takesAll();
    await clock.advance(2_900);
    const taken = link.state;
    await clock.advance(1_000);

    expect([before, taken, link.state]).toEqual(['open', 'open', 'destroyed']);
  });

  it('counts the idle time from when the answer is taken', async () => {
    const { clock, link } = setup();
    link.says(GET);
    await clock.advance(290_000);
    link.takesAll();

    await clock.advance(74_000);
    const before = link.state;
    await clock.advance(2_000);

    expect([before, link.state]).toEqual(['open', 'destroyed']);
  });

  it('lingers no longer than usual once a last answer is taken', async () => {
    const { clock, link } = setup();
    link.says(LAST);
    await clock.advance(100_000);

    link.takesAll();
    await clock.advance(3_000);

    expect(link.state).toBe('destroyed');
  });
});

describe('ClientConnection, with a head that does not come at once', () => {
  const PART = GET.slice(0, 20);

  it.each<[string, (scene: ReturnType<typeof setup>) => unknown]>([
    ['comes to its end', ({ link }) => link.says(GET.slice(20))],
    ['turns out malformed', ({ link }) => link.says('\n')],
    ['turns out too large', ({ link }) => link.says('a'.repeat(40_000))],
    ['has its client leave', ({ link }) => link.fails()],
    ['has its client end', ({ link }) => link.endsItsSide()],
    ['is late', ({ clock }) => clock.advance(16_000)],
    ['is ended with everything', ({ connection }) => connection.destroy()],
  ])('gives its memory back when it %s', async (_name, happen) => {
    const partialHeads = new PartialHeads();
    const scene = setup(new FakeLink(), partialHeads);
    scene.link.says(PART);
    const before = partialHeads.bytes;

    await happen(scene);

    expect([before, partialHeads.bytes]).toEqual([512, 0]);
  });

  it('is told to come back when those of all clients take too much, and takes nothing', () => {
    const partialHeads = new PartialHeads(1_000);
    const [first, second] = [setup(new FakeLink(), partialHeads), setup(new FakeLink(), partialHeads)];
    first.link.says(PART);

    second.link.says(PART);

    expect(second.link.written).toMatch(/^HTTP\/1\.1 503 [^]*\r\nRetry-After: 5\r\n[^]*Connection: close\r\n/);
    expect([second.link.state, second.refused.mock.calls]).toEqual(['ended', [[WEB, 'queue full']]]);
    expect([first.link.state, partialHeads.bytes]).toEqual(['open', 512]);
  });

  it('is served when others have left', () => {
    const partialHeads = new PartialHeads(1_000);
    const [first, second] = [setup(new FakeLink(), partialHeads), setup(new FakeLink(), partialHeads)];
    first.link.says(PART);
    first.link.fails();

    second.link.says(PART);
    second.link.says(GET.slice(20));

    expect(second.link.written).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('ClientConnection, with a pod that does not take the last of a body', () => {
  it('ends the exchange as one whose body is not taken, also when that shows only after the body was written', async () => {
    const clock = new FakeClock();
    const pod = new FakeLink();
    const opened: (() => void)[] = [];
    const deadlines = new Deadlines(clock, 250);
    const links = { dial: (_address: string, _port: number, onOpen: () => void) => (opened.push(onOpen), pod) };
    const lease = { podKey: 'pod-a', address: '10.0.0.1', port: 80, release: jest.fn() };
    const context = {
      gate: { tryEnter: () => lease },
      listener: { began: () => undefined, ended: () => undefined },
      sniffer: new ProtocolByFirstBytes(),
      partialHeads: new PartialHeads(),
      pools: new UpstreamPools({ clock, deadlines, links: links as unknown as Links, settings: DEFAULT_PROXY_SETTINGS }),
      deadlines,
      settings: DEFAULT_PROXY_SETTINGS,
      clock,
      isDraining: () => false,
    } as unknown as ProxyContext;
    const link = new FakeLink();
    new ClientConnection(link, context, WEB, jest.fn(), jest.fn());

    link.says('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 3\r\n\r\nabc');
    for (const onOpen of opened) onOpen();
    pod.takesNothing();
    await clock.advance(601_000);

    expect(pod.written).toMatch(/abc$/);
    expect(link.written).toMatch(/^HTTP\/1\.1 504 /);
    expect(lease.release).toHaveBeenCalledWith('broken');
  });
});
