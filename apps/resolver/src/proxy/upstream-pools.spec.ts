import { FakeClock } from '@elasti/operator-kit/testing';
import { Deadlines } from './deadlines';
import { FakeLink } from './link.fixture';
import type { Links } from './links';
import { DEFAULT_PROXY_SETTINGS } from './proxy-settings';
import type { UpstreamConnection } from './upstream-connection';
import { UpstreamPools } from './upstream-pools';

const lease = { podKey: 'pod-a', address: '10.0.0.1', port: 80, release: () => undefined };

/** Pools whose connections are open at once. */
function setup(limits: { maxIdleUpstreams: number; maxIdlePerPod: number }) {
  const clock = new FakeClock();
  const deadlines = new Deadlines(clock, 250);
  const opened: (() => void)[] = [];
  const links = { dial: (_address: string, _port: number, onOpen: () => void) => (opened.push(onOpen), new FakeLink()) };
  const settings = { ...DEFAULT_PROXY_SETTINGS, ...limits };
  const pools = new UpstreamPools({ clock, deadlines, links: links as unknown as Links, settings });
  const dial = (): UpstreamConnection => {
    const connection = pools.dial(lease);
    for (const onOpen of opened.splice(0)) onOpen();
    return connection;
  };
  /** So many exchanges at once, which then end. */
  const serveAtOnce = (count: number): void => {
    for (const connection of Array.from({ length: count }, dial)) connection.rest();
  };
  return { clock, pools, dial, serveAtOnce };
}

describe('UpstreamPools', () => {
  it('gives nobody a connection on which its pod has said something unasked, which is still to be read', () => {
    const { pools, dial } = setup({ maxIdleUpstreams: 10, maxIdlePerPod: 10 });
    const [quiet, noisy] = [dial(), dial()];
    quiet.rest();
    noisy.rest();

    (noisy.link as FakeLink).hasUnread = true;

    expect(pools.take(lease, 'any')).toBe(quiet);
    expect(pools.take(lease, 'any')).toBeUndefined();
  });

  it.each([
    ['to one pod', { maxIdleUpstreams: 1_000, maxIdlePerPod: 10 }],
    ['altogether', { maxIdleUpstreams: 10, maxIdlePerPod: 100 }],
  ])('keeps for long what the limit allows %s, and the rest for a second', async (_name, limits) => {
    const { clock, pools, serveAtOnce } = setup(limits);

    serveAtOnce(30);
    const atOnce = pools.idleConnections;
    await clock.advance(900);
    const within = pools.idleConnections;
    await clock.advance(700);

    expect([atOnce, within, pools.idleConnections]).toEqual([30, 30, 10]);
  });

  it('keeps no more than some thousands beyond the limits, even for a second', () => {
    const { pools, serveAtOnce } = setup({ maxIdleUpstreams: 1_000, maxIdlePerPod: 100 });

    serveAtOnce(6_000);

    expect([pools.idleConnections, pools.openConnections]).toEqual([5_096, 5_096]);
  });
});
