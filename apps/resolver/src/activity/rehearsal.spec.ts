import { EndpointSlice, Service } from '@elasti/operator-kit';
import { FakeCaches, FakeClock, settle } from '@elasti/operator-kit/testing';
import { PrivateServices, ReadyPods } from '../endpoints';
import { aPrivateService, aSlice } from '../endpoints/endpoints.fixture';
import { Rehearsal, type TryConnect } from './rehearsal';

const { signal } = new AbortController();

interface Scene {
  pods?: string[];
  connect?: TryConnect;
  listening?: boolean;
}

const podPorts = Array.from({ length: 300 }, (_, index) => ({ name: index === 0 ? 'http' : `http-${index}`, port: 8080 + index }));
/** Its ports from 80 on lead to the pods' from 8080 on. */
const ports = Array.from({ length: 300 }, (_, index) => ({ name: index === 0 ? 'http' : `http-${index}`, port: 80 + index }));

function setup({ pods = [], connect = () => Promise.resolve(), listening = true }: Scene = {}) {
  const caches = new FakeCaches();
  const clock = new FakeClock();
  const services = new PrivateServices(caches);
  caches.of(Service).put(aPrivateService({ ports }));
  caches.of(EndpointSlice).put(
    aSlice(
      pods.map((address, index) => ({ pod: `p${index}`, address })),
      { ports: podPorts },
    ),
  );
  const dialled: string[] = [];
  const rehearsal = new Rehearsal({
    listeners: { isListening: () => listening },
    services,
    pods: new ReadyPods(caches, services),
    connect: (address, port, limited) => {
      dialled.push(`${address}:${port}`);
      return connect(address, port, limited);
    },
    clock,
  });
  const ask = (routes = [{ port: 80, resolverPort: 20_000 }]) =>
    rehearsal.reply({ services: [{ namespace: 'shop', service: 'web', routes }] }, signal);
  const first = async () => (await ask()).services[0]?.routes[0];
  return { rehearsal, clock, dialled, ask, first };
}

describe('Rehearsal', () => {
  it('says yes when it listens and a pod takes a connection on its own port', async () => {
    const { first, dialled } = setup({ pods: ['10.0.0.1'] });

    expect(await first()).toEqual({ port: 80, resolverPort: 20_000, listening: true, connects: 'yes' });
    expect(dialled).toEqual(['10.0.0.1:8080']);
  });

  it('says when it does not listen', async () => {
    const { first } = setup({ pods: ['10.0.0.1'], listening: false });

    expect(await first()).toMatchObject({ listening: false, connects: 'yes', problem: 'not listening on 20000 for this port' });
  });

  it('says when there is no pod to try', async () => {
    const { first, dialled } = setup();

    expect([await first(), dialled]).toEqual([{ port: 80, resolverPort: 20_000, listening: true, connects: 'no pod' }, []]);
  });

  it('says when the Service has no such port, and dials nothing', async () => {
    const { ask, dialled } = setup({ pods: ['10.0.0.1'] });

    const reply = await ask([{ port: 79, resolverPort: 20_001 }]);

    expect(reply.services[0]?.routes[0]).toMatchObject({ connects: 'no pod', problem: expect.stringContaining('79') });
    expect(dialled).toEqual([]);
  });

  it('says no, and why, when no pod takes a connection', async () => {
    const { first } = setup({ pods: ['10.0.0.1'], connect: () => Promise.reject(new Error('connect ECONNREFUSED')) });

    expect(await first()).toMatchObject({ connects: 'no', problem: 'no pod takes a connection: connect ECONNREFUSED' });
  });

  it('is content with one of two pods', async () => {
    const connect: TryConnect = (address) => (address === '10.0.0.2' ? Promise.resolve() : Promise.reject(new Error('refused')));
    const { first } = setup({ pods: ['10.0.0.1', '10.0.0.2'], connect });

    expect(await first()).toMatchObject({ connects: 'yes' });
  });

  it('waits a second and no longer', async () => {
    const silent: TryConnect = (_address, _port, limited) =>
      new Promise((_, reject) => limited.addEventListener('abort', () => reject(limited.reason as Error)));
    const { first, clock } = setup({ pods: ['10.0.0.1'], connect: silent });

    const answer = first();
    await clock.advance(1_000);

    expect(await answer).toMatchObject({ connects: 'no', problem: 'no pod takes a connection: no answer within 1000 ms' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('dials a bounded number at once and answers in the order of the request', async () => {
    let [open, most, calls] = [0, 0, 0];
    const connect: TryConnect = async () => {
      most = Math.max(most, ++open);
      const turns = calls++ % 3;
      for (let turn = 0; turn <= turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      open--;
    };
    const { ask } = setup({ pods: ['10.0.0.1'], connect });
    const routes = Array.from({ length: 300 }, (_, index) => ({ port: 80 + index, resolverPort: 20_000 + index }));

    const reply = await ask(routes);

    expect(reply.services[0]?.routes.map(({ resolverPort }) => resolverPort)).toEqual(routes.map(({ resolverPort }) => resolverPort));
    expect(most).toBe(64);
  });

  it('tries a port once, however often it is asked for, and answers each entry', async () => {
    const { rehearsal, dialled } = setup({ pods: ['10.0.0.1'] });
    const routes = [
      { port: 80, resolverPort: 20_000 },
      { port: 80, resolverPort: 20_000 },
      { port: 81, resolverPort: 20_001 },
    ];
    const subject = { namespace: 'shop', service: 'web', routes };

    const { services } = await rehearsal.reply({ services: [subject, subject] }, signal);

    expect(dialled).toEqual(['10.0.0.1:8080', '10.0.0.1:8081']);
    expect(services.map((reply) => reply.routes.map(({ port, connects }) => [port, connects]))).toEqual(
      Array.from({ length: 2 }, () => [80, 80, 81].map((port) => [port, 'yes'])),
    );
  });

  it('answers one call after the other, and refuses those that come when too many wait', async () => {
    const ends: (() => void)[] = [];
    const { first, dialled } = setup({ pods: ['10.0.0.1'], connect: () => new Promise((resolve) => ends.push(resolve)) });
    const calls = Array.from({ length: 16 }, () => first());
    await settle();
    const atFirst = dialled.length;

    await expect(first()).rejects.toThrow('16 rehearsals are under way: ask again in a second');
    for (let turn = 0; turn < 16; turn++) {
      ends.shift()?.();
      await settle();
    }

    await expect(Promise.all(calls)).resolves.toHaveLength(16);
    expect([atFirst, dialled.length]).toEqual([1, 16]);
  });

  it('refuses more than it can do at once', async () => {
    const { rehearsal } = setup();
    const services = Array.from({ length: 501 }, (_, index) => ({ namespace: 'shop', service: `s${index}`, routes: [] }));

    await expect(rehearsal.reply({ services }, signal)).rejects.toThrow('services has 501 entries: ask for at most 500 at once');
  });
});
