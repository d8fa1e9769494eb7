import { FakeClock } from '@elasti/operator-kit/testing';

import { ClientOutlet } from './client-outlet';
import { FloodGuard } from './flood-guard';
import { H2Request } from './h2-request';
import { H2Session } from './h2-session';
import { H2Stream } from './h2-stream';
import { HeaderField } from './header-field';
import { Outlet } from './outlet';

const TARGET = { namespace: 'shop', service: 'web', port: 80 };
const PASSAGE = { hop: 'shop/web:80', clientAddress: '10.0.0.1' };

/** Takes everything, or says that it does not. */
class FakeLink {
  written = '';
  isCongested = false;

  /** As a socket does: whoever writes much must wait. */
  write(latin1: string): boolean {
    this.written += latin1;
    if (latin1.length > 16_384) this.isCongested = true;
    return !this.isCongested;
  }

  writeWith(latin1: string, bytes: Buffer, start: number, end: number): boolean {
    return this.write(latin1 + bytes.toString('latin1', start, end));
  }
}

function setup(): { session: H2Session; link: FakeLink; pod: Outlet; request: H2Request } {
  const link = new FakeLink();
  const listener = { began: () => undefined, ended: () => undefined };
  const session = new H2Session(new ClientOutlet(new FakeLink()), new FloodGuard(new FakeClock()), listener, () => undefined);
  return { session, link, pod: new Outlet(link), request: requestOf({ cookie: 'c'.repeat(20_000) }) };
}

function requestOf(overrides: Record<string, string>): H2Request {
  const fields = { ':method': 'POST', ':scheme': 'http', ':path': '/', ':authority': 'web', ...overrides };
  const request = H2Request.from(Object.entries(fields).map(([name, value]) => new HeaderField(name, value)));
  if (request === undefined) throw new Error('not a request');
  return request;
}

describe('H2Session', () => {
  it('writes heads for a pod only as fast as the pod takes them, and all of them in the end', () => {
    const { session, link, pod, request } = setup();
    session.join(pod, PASSAGE);

    for (let id = 1; id < 100; id += 2) session.begin(new H2Stream(id, TARGET, request, 0));
    const most = link.written.length + pod.unflushedBytes;
    for (let round = 0; round < 10; round++) {
      link.isCongested = false;
      session.queue.sendWaiting();
      pod.flush();
    }

    expect(most).toBeLessThan(300 * 1024);
    expect(link.written.split('x-elasti-via').length - 1).toBe(50);
  });

  it('lets only so many heads wait for a pod that takes nothing', () => {
    const { session, link, pod, request } = setup();
    session.join(pod, PASSAGE);
    link.isCongested = true;

    let id = 1;
    while (session.hasRoomFor(request.size) && id < 10_000) session.begin(new H2Stream((id += 2), TARGET, request, 0));

    expect(session.streams.size * request.size).toBeLessThanOrEqual(1024 * 1024);
  });

  it('keeps no more to repeat than its limit, trailers included', () => {
    const { session, pod, link } = setup();
    const request = requestOf({ ':method': 'PUT' });
    session.join(pod, PASSAGE);

    for (let id = 1; id < 200; id += 2) {
      const stream = new H2Stream(id, TARGET, request, 0);
      session.begin(stream);
      session.sendTrailers(stream, { block: 't'.repeat(30_000), size: 30_000 });
      pod.flush();
      link.isCongested = false;
    }
    const again = 100 - session.queue.losePod().length;

    expect(again).toBeGreaterThan(30);
    expect(again * 30_000).toBeLessThanOrEqual(1024 * 1024);
  });
});
