import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@elasti/operator-kit';
import { HoldingGate } from '../../apps/resolver/src/gate';
import { HttpWakeCall, OperatorWaker, TokenFile, type WakeOutcome } from '../../apps/resolver/src/wake';
import type { PodLease } from '../../apps/resolver/src/exchange';
import { eventually } from '../conformance/eventually';
import { answer, RawServer } from './client-server';
import { ResolverRooms, web } from './resolver-rooms';

const limits = {
  requestTimeoutMs: 60_000,
  maxRequests: 1_000,
  maxBytes: 1_000_000,
  maxRequestsPerService: 1_000,
  maxBytesPerService: 1_000_000,
  maxConcurrencyPerFreshPod: 100,
};

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

describe('wake calls over real connections', () => {
  const demand = { namespace: 'shop', service: 'web', held: 3 };
  const outcomes: WakeOutcome[] = [];
  let operator: RawServer;
  let call: HttpWakeCall;
  let waker: OperatorWaker;

  async function start(handler: RequestListener, token?: TokenFile): Promise<void> {
    operator = await RawServer.start(handler);
    call = new HttpWakeCall(operator.url, token, { connections: 4 });
    waker = new OperatorWaker(
      { retryMs: 50 },
      { call, clock: systemClock, logger: silentLogger, observe: (outcome) => outcomes.push(outcome) },
    );
  }

  afterEach(async () => {
    outcomes.length = 0;
    waker.stop();
    await call.close();
    await operator.stop();
  });

  it('sends what the contract says, again after a 200, and stops when nobody waits', async () => {
    const bodies: unknown[] = [];
    await start((request, response) => {
      void bodyOf(request).then((body) => {
        bodies.push([request.method, request.url, request.headers['content-type'], body]);
        answer(response, { message: 'Request received successfully!' });
      });
    });

    waker.want(demand);
    await eventually(() => expect(bodies.length).toBeGreaterThan(2));
    waker.satisfied(demand);
    await eventually(() => expect(outcomes).toHaveLength(bodies.length));
    const sent = bodies.length;
    await new Promise((resolve) => systemClock.after(200, () => resolve(undefined)));

    expect(bodies[0]).toEqual(['POST', '/informer/incoming-request', 'application/json', { count: 3, svc: 'web', namespace: 'shop' }]);
    expect(bodies).toHaveLength(sent);
  });

  it('shows its token, and the new one when the old is refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'elasti-token-'));
    const path = join(folder, 'token');
    await writeFile(path, 'first\n');
    const seen: (string | undefined)[] = [];
    await start(
      (request, response) => {
        seen.push(request.headers.authorization);
        const renewed = seen.length === 1 ? writeFile(path, 'second\n') : Promise.resolve();
        void renewed.then(() => answer(response, {}, request.headers.authorization === 'Bearer second' ? 200 : 401));
      },
      new TokenFile(path, systemClock),
    );

    waker.want(demand);
    await eventually(() => expect(outcomes).toContain('accepted'));

    expect(seen.slice(0, 2)).toEqual(['Bearer first', 'Bearer second']);
    await rm(folder, { recursive: true });
  });

  it('goes on asking an operator that is away, and leaves no connection behind', async () => {
    let calls = 0;
    await start((request, response) => {
      if (++calls === 1) request.socket.destroy();
      else answer(response, {}, calls === 2 ? 503 : 200);
    });

    waker.want(demand);
    await eventually(() => expect(outcomes.slice(0, 3)).toEqual(['unreachable', 'unreachable', 'accepted']));
    waker.stop();
    await call.close();

    await eventually(() => expect(operator.sockets.size).toBe(0));
  });
});

describe('a request for a Service that sleeps', () => {
  it('waits until the operator that it calls has woken the Service', async () => {
    const rooms = await ResolverRooms.start();
    await rooms.deployAsleep();
    const operator = await RawServer.start((_request, response) => void rooms.scale(1).then(() => answer(response, {})));
    const call = new HttpWakeCall(operator.url, undefined, { connections: 4 });
    const waker = new OperatorWaker({ retryMs: 100 }, { call, clock: systemClock, logger: silentLogger });
    const { directory, services, pods } = rooms;
    const gate = new HoldingGate(limits, { directory, services, pods, waker, clock: systemClock });
    await eventually(() => expect(directory.find(web)).toBeDefined());

    const lease = await new Promise<PodLease>((entered, refused) => {
      gate.hold(web, { bytesHeld: 1 }, { entered, refused });
    });

    expect([lease.port, gate.held]).toEqual([8080, 0]);
    gate.close();
    waker.stop();
    await call.close();
    await operator.stop();
    await rooms.stop();
  });
});
