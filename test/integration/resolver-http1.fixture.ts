import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { silentLogger, systemClock } from '@elasti/operator-kit';
import type { Clock } from '@elasti/operator-kit';

import type {
  ExchangeListener,
  ExchangePolicy,
  Gate,
  GateError,
  Held,
  Holder,
  HoldMoments,
  LeaseOutcome,
  PodLease,
  Rejection,
  ServicePort,
  Ticket,
} from '../../apps/resolver/src/exchange';
import { DEFAULT_PROXY_SETTINGS, Forwarder, ForwardingListener } from '../../apps/resolver/src/proxy';
import type { H2Taker, ProxySettings } from '../../apps/resolver/src/proxy';

export const WEB: ServicePort = { namespace: 'shop', service: 'web', port: 80 };

interface Pod {
  readonly podKey: string;
  /** This machine by default. */
  readonly address?: string;
  readonly port: number;
  readonly startingSinceMs?: number;
}

interface Waiter {
  readonly request: Held;
  readonly holder: Holder;
  readonly resolve: (lease: PodLease) => void;
  readonly reject: (error: GateError) => void;
}

/** A gate that a test opens and shuts; it remembers what became of every lease. One that all pods refused waits for `ready`. */
export class FakeGate implements Gate {
  readonly outcomes: { podKey: string; outcome: LeaseOutcome }[] = [];
  readonly waiting: Waiter[] = [];
  readonly asked: Held[] = [];
  openLeases = 0;
  /** What each touch of a lease said: how many exchanges are open on it. */
  readonly touches: number[] = [];
  private pods: Pod[] = [];

  /** These pods are ready from now on; whoever waits goes to the first that did not refuse, else, this once, to the first. */
  ready(...pods: Pod[]): void {
    this.pods = pods;
    for (const waiter of this.waiting.splice(0)) waiter.resolve(this.leaseFor(waiter.request));
  }

  tryEnter(): PodLease | undefined {
    return this.pods[0] && this.lease(this.pods[0]);
  }

  hold(_target: ServicePort, request: Held, holder: Holder): Ticket | undefined {
    this.asked.push(request);
    if (this.pods.some(({ podKey }) => !request.not?.has(podKey))) {
      holder.entered(this.leaseFor(request));
      return undefined;
    }
    const waiter: Waiter = { request, holder, resolve: (lease) => holder.entered(lease), reject: (error) => holder.refused(error) };
    this.waiting.push(waiter);
    return {
      leave: () => {
        const at = this.waiting.indexOf(waiter);
        if (at >= 0) this.waiting.splice(at, 1);
      },
    };
  }

  private leaseFor(request: Held): PodLease {
    const pod = this.pods.find(({ podKey }) => !request.not?.has(podKey)) ?? this.pods[0];
    if (!pod) throw new Error('no pod is ready');
    return this.lease(pod);
  }

  private lease(pod: Pod): PodLease {
    let released = false;
    this.openLeases++;
    return {
      podKey: pod.podKey,
      port: pod.port,
      address: pod.address ?? '127.0.0.1',
      startingSinceMs: pod.startingSinceMs,
      touch: (open) => {
        this.touches.push(open);
      },
      release: (outcome) => {
        if (released) throw new Error('released twice');
        released = true;
        this.openLeases--;
        this.outcomes.push({ podKey: pod.podKey, outcome });
      },
    };
  }
}

/** Counts what began and ended. */
export class Tally implements ExchangeListener {
  open = 0;
  readonly moments: HoldMoments[] = [];
  readonly statuses: (number | undefined)[] = [];
  lostCount = 0;
  readonly refusals: string[] = [];

  began(): void {
    this.open++;
  }

  ended(_target: ServicePort, status: number | undefined): void {
    this.open--;
    this.statuses.push(status);
  }

  sentAfterHold(_target: ServicePort, moments: HoldMoments): void {
    this.moments.push(moments);
  }

  refused(target: ServicePort | undefined, reason: Rejection): void {
    this.refusals.push(`${target ? `${target.namespace}/${target.service}` : 'somebody'} ${reason}`);
  }

  lost(): void {
    this.lostCount++;
  }
}

export interface ResolverOptions {
  readonly settings?: Partial<ProxySettings>;
  readonly policy?: Partial<ExchangePolicy>;
  readonly target?: ServicePort | 'by request';
  readonly speaksFirst?: 'server';
  readonly clock?: Clock;
  /** Without it, HTTP/2 passes as bytes. */
  readonly h2?: H2Taker;
}

export class Resolver {
  private constructor(
    readonly gate: FakeGate,
    readonly tally: Tally,
    readonly forwarder: Forwarder,
    private readonly listener: ForwardingListener,
  ) {}

  static async start(options: ResolverOptions = {}): Promise<Resolver> {
    const gate = new FakeGate();
    const tally = new Tally();
    const policy: ExchangePolicy = {
      targetOf: () => undefined,
      answerInstead: () => undefined,
      isMovingOn: () => false,
      ...options.policy,
    };
    const settings = { ...DEFAULT_PROXY_SETTINGS, tickMs: 20, ...options.settings };
    const { clock = systemClock, h2 } = options;
    const forwarder = new Forwarder({ gate, policy, listener: tally, settings, clock, logger: silentLogger, h2 });
    const target = options.target === 'by request' ? undefined : (options.target ?? WEB);
    const at = { port: 0, host: '127.0.0.1' };
    const listener = await ForwardingListener.open(forwarder, at, { target, speaksFirst: options.speaksFirst });
    return new Resolver(gate, tally, forwarder, listener);
  }

  get port(): number {
    return this.listener.port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    await this.listener.close();
    this.forwarder.stop();
  }
}

/** A pod that is a plain TCP server; what it gets is kept. */
export class RawPod {
  readonly connections: Socket[] = [];
  received = '';

  private constructor(
    private readonly server: Server,
    readonly podKey: string,
    readonly address: string,
  ) {}

  static async start(
    onData: (socket: Socket, text: string, pod: RawPod) => void,
    podKey = 'pod-a',
    { host, port } = { host: '127.0.0.1', port: 0 },
  ): Promise<RawPod> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const pod = new RawPod(server, podKey, host);
    server.on('connection', (socket) => {
      pod.connections.push(socket);
      socket.on('error', () => undefined);
      socket.on('end', () => socket.end());
      socket.on('data', (bytes) => {
        const text = bytes.toString('latin1');
        pod.received += text;
        onData(socket, text, pod);
      });
    });
    server.listen(port, host);
    await once(server, 'listening');
    return pod;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.connections) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }
}

/** A client that sends just the bytes it is told to. */
export class RawClient {
  text = '';
  ended = false;
  closed = false;
  error: Error | undefined;
  private wake: () => void = () => undefined;

  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes) => this.note(() => (this.text += bytes.toString('latin1'))));
    socket.on('end', () => this.note(() => (this.ended = true)));
    socket.on('error', (error) => this.note(() => (this.error = error)));
    socket.on('close', () => this.note(() => (this.closed = true)));
  }

  static async connect(port: number, localAddress?: string): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true, localAddress });
    const client = new RawClient(socket);
    await once(socket, 'connect');
    return client;
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Sends this many pieces, each once the kernel has taken the one before; gives how many it has taken so far. */
  pump(piece: Buffer, count: number): () => number {
    let taken = 0;
    const next = (): void => {
      if (taken < count) this.socket.write(piece, onTaken);
    };
    const onTaken = (error?: Error | null): void => {
      if (error) return;
      taken++;
      next();
    };
    next();
    return () => taken;
  }

  /** Waits for what has come to fit; fails with what came instead. */
  async until(fits: RegExp | ((client: this) => boolean), deadlineMs = 4_000): Promise<string> {
    const isThere = (): boolean => (fits instanceof RegExp ? fits.test(this.text) : fits(this));
    const deadline = Date.now() + deadlineMs;
    while (!isThere()) {
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) throw new Error(`never came: ${fits.toString()}; got ${JSON.stringify(this.text)}, ended ${this.ended}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.text;
  }

  private note(change: () => void): void {
    change();
    this.wake();
  }
}

/** Waits for a condition that no event tells of. */
export async function until(what: string, isThere: () => boolean, deadlineMs = 4_000): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!isThere()) {
    if (Date.now() > deadline) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
export const GET = 'GET / HTTP/1.1\r\nHost: web\r\n\r\n';

type OnData = Parameters<typeof RawPod.start>[0];

/** Everything a test starts here is gone after it, and a lease or an exchange that was left open fails it. */
export class Scene {
  private readonly resolvers: Resolver[] = [];
  private readonly others: { stop(): Promise<void> | void }[] = [];

  add<T extends { stop(): Promise<void> | void }>(one: T): T {
    this.others.push(one);
    return one;
  }

  async resolver(options?: ResolverOptions): Promise<Resolver> {
    const resolver = await Resolver.start(options);
    this.resolvers.push(resolver);
    return resolver;
  }

  async pod(onData: OnData = (socket) => void socket.write(OK), podKey?: string, at?: { host: string; port: number }): Promise<RawPod> {
    return this.add(await RawPod.start(onData, podKey, at));
  }

  async client(resolver: Resolver): Promise<RawClient> {
    const client = await RawClient.connect(resolver.port);
    this.add({ stop: () => void client.socket.destroy() });
    return client;
  }

  /** A resolver with one ready pod and one client. */
  async all(onData?: OnData, options?: ResolverOptions): Promise<{ pod: RawPod; resolver: Resolver; client: RawClient; gate: FakeGate }> {
    const pod = await this.pod(onData);
    const resolver = await this.resolver(options);
    resolver.gate.ready(pod);
    return { pod, resolver, client: await this.client(resolver), gate: resolver.gate };
  }

  async stop(): Promise<void> {
    for (const one of this.others.splice(0).reverse()) await one.stop();
    for (const resolver of this.resolvers.splice(0)) {
      await resolver.stop();
      const { gate, tally, forwarder } = resolver;
      const left = {
        leases: gate.openLeases,
        exchanges: tally.open,
        clients: forwarder.openConnections,
        pods: forwarder.pools.openConnections,
        upstreams: forwarder.openUpstreams,
      };
      expect(left).toEqual({ leases: 0, exchanges: 0, clients: 0, pods: 0, upstreams: 0 });
    }
  }
}

/** Waits until a number no longer changes, and gives it. */
export async function settled(read: () => number, quietMs = 400): Promise<number> {
  let last = read();
  for (let since = Date.now(); Date.now() - since < quietMs;) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const now = read();
    if (now !== last) since = Date.now();
    last = now;
  }
  return last;
}
