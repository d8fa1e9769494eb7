import { ElastiService } from '@elasti/api';
import { KubeSim } from '@elasti/kube-sim';
import { ConfigMap, CustomResourceDefinition, EndpointSlice, KubeClient, Namespace, Service } from '@elasti/operator-kit';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { ReadyPods } from '../../apps/resolver/src/endpoints';
import { aPrivateService, aSlice } from '../../apps/resolver/src/endpoints/endpoints.fixture';
import { HoldingGate } from '../../apps/resolver/src/gate';
import { aShard } from '../../apps/resolver/src/routes/routes.fixture';
import { eventually } from '../eventually';
import { loopbackNetwork } from '../fixtures/loopback-network';
import { ResolverReplica } from '../fixtures/resolver-world/resolver-replica';
import { until } from './resolver-http1.fixture';

const namespace = 'shop';
const podPort = 8080;

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** An exchange as its client sees it. Messages are lines. */
export interface Talk {
  /** The next message; fails when there is none to come. */
  hear(): Promise<string>;
  /** How it ended: `in full`, or by which error. */
  ended(): Promise<string>;
  /** Where a client may go on talking while it is answered. */
  say?(text: string): void;
  stop(): void;
}

/** What a pod says in an exchange. */
export interface Line {
  say(text: string): void;
  /** The proper end. */
  finish(): void;
}

export interface PodServer {
  serve(socket: Socket): void;
  stop?(): void;
}

export interface Protocol {
  readonly name: string;
  /** The Service's port says so. */
  readonly speaksFirst?: 'server';
  /** Why it cannot be tried on this machine. */
  readonly missing?: string;
  /** What the pods run: the first thing that they say is their name and what they heard. */
  program(pod: Pod): Promise<PodServer>;
  /** Says hello, unless the server speaks first. */
  begin(at: Place): Promise<Talk>;
}

/** Collects what a client hears. */
export class Ear {
  private text = '';
  private end: string | undefined;

  feed(text: string): void {
    this.text += text;
  }

  /** The first end is the end. */
  close(how: string): void {
    this.end ??= how;
  }

  async hear(): Promise<string> {
    const whole = /^\n*([^\n]+)\n/;
    await until('a message, or the end', () => whole.test(this.text) || this.end !== undefined);
    const [read, message] = whole.exec(this.text) ?? [];
    if (read === undefined || message === undefined) throw new Error(`it ended instead: ${this.end ?? ''}`);
    this.text = this.text.slice(read.length);
    return message;
  }

  async ended(): Promise<string> {
    await until('the end', () => this.end !== undefined);
    return this.end ?? '';
  }
}

/** A pod at an address of its own, that listens when it is told to and can die with all its connections. */
export class Pod {
  /** Exchanges that came. */
  asked = 0;
  /** Of the exchange that is under way. */
  line: Line | undefined;
  isDead = false;
  private readonly sockets = new Set<Socket>();
  private server: PodServer | undefined;
  private readonly door: Server;

  constructor(
    readonly name: string,
    readonly address: string,
    private readonly program: Protocol['program'],
    private readonly isDoomed: () => boolean = () => false,
  ) {
    this.door = createServer({ noDelay: true }, (socket) => {
      this.sockets.add(socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket)));
      this.server?.serve(socket);
    });
  }

  async listen(): Promise<void> {
    this.server = await this.program(this);
    this.door.listen(podPort, this.address);
    await once(this.door, 'listening');
  }

  /** Whether it lives to answer the exchange that has just come. */
  takes(): boolean {
    this.asked++;
    const dies = this.isDoomed();
    if (dies) this.die();
    return !dies;
  }

  /** As when its process is killed: whoever is connected is reset, and nobody listens any more. */
  die(): void {
    this.isDead = true;
    for (const socket of this.sockets) socket.resetAndDestroy();
    if (this.door.listening) this.door.close();
  }

  stop(): void {
    this.die();
    this.server?.stop?.();
  }
}

/** A service that can sleep, with a resolver before it. */
export class SleepyService {
  constructor(
    private readonly world: SituationsWorld,
    private readonly service: string,
    readonly at: Place,
  ) {}

  get wakes(): number {
    return this.world.wakes.filter((service) => service === this.service).length;
  }

  /** All that is open or held. */
  get open(): number {
    return this.seen?.open ?? 0;
  }

  get held(): number {
    return this.seen?.held ?? 0;
  }

  /** These are its ready pods, and the resolver knows. */
  async announce(...pods: Pod[]): Promise<void> {
    const drafts = pods.map(({ name, address }) => ({ pod: `${this.service}-${name}`, address, ready: true }));
    await this.world.client.create(EndpointSlice, aSlice(drafts, { name: this.service, service: this.service }));
    const known = this.world.resolver.app.get(ReadyPods);
    await until('the pods to be known', () => known.of({ namespace, service: this.service }).length === pods.length);
  }

  private get seen(): { readonly open: number; readonly held: number } | undefined {
    return this.world.resolver.app.get(HoldingGate).activityOf({ namespace, service: this.service });
  }
}

/**
 * The real resolver on a simulated cluster, with sleeping services of a test's choice.
 *
 * The test plays the rest: the operator, who is asked for wakes and only writes them down, and the pods, which are ready when it says so.
 */
export class SituationsWorld {
  readonly services = new Map<string, SleepyService>();
  private podsGiven = 0;

  private constructor(
    private readonly sim: KubeSim,
    readonly client: KubeClient,
    private readonly operator: HttpServer,
    /** The service of each wake call. */
    readonly wakes: readonly string[],
    readonly resolver: ResolverReplica,
  ) {}

  /** All services are there before the resolver: once it is ready, it listens for each. */
  static async start(
    names: readonly { readonly service: string; readonly speaksFirst?: 'server' | undefined }[],
  ): Promise<SituationsWorld> {
    const sim = await KubeSim.start({ loopbackEndpoints: 'allowed' });
    const client = KubeClient.forServer({ server: sim.url });
    await client.create(CustomResourceDefinition, ElastiService.crd());
    for (const name of [namespace, 'elasti']) await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await Promise.all(names.map(({ service }) => putToSleep(client, service)));
    const routes = names.map(
      ({ service, speaksFirst }, at) => [20_000 + at, `${namespace}/${service}/80${speaksFirst ? ' greets' : ''}`] as const,
    );
    await client.create(ConfigMap, aShard(Object.fromEntries(routes)));

    const wakes: string[] = [];
    const operator = await startOperator(wakes);
    const { port } = operator.address() as AddressInfo;
    const host = `${loopbackNetwork()}.1`;
    const resolver = await ResolverReplica.start(sim, { host, user: 'resolver', operatorOrigin: `http://127.0.0.1:${port}` });
    const world = new SituationsWorld(sim, client, operator, wakes, resolver);
    names.forEach(({ service }, at) => world.services.set(service, new SleepyService(world, service, { host, port: 20_000 + at })));
    await eventually('the resolver is ready', async () => ((await resolver.isReady()) ? true : undefined));
    return world;
  }

  /** An address that no other pod of this test has had of late. */
  nextAddress(): string {
    return `${loopbackNetwork()}.${100 + (this.podsGiven++ % 150)}`;
  }

  async stop(): Promise<void> {
    await this.resolver.stop();
    this.operator.closeAllConnections();
    this.operator.close();
    await this.client.close();
    await this.sim.stop();
  }
}

async function putToSleep(client: KubeClient, service: string): Promise<void> {
  await client.create(Service, aPrivateService({ service, clusterIP: 'None' }));
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: service };
  await client.create(ElastiService, ElastiService.create(service, { scaleTargetRef, service }, { namespace }));
}

async function startOperator(wakes: string[]): Promise<HttpServer> {
  const operator = createHttpServer((request, response) => {
    void json(request).then((wake) => {
      wakes.push((wake as { svc: string }).svc);
      response.end();
    });
  });
  operator.listen(0, '127.0.0.1');
  await once(operator, 'listening');
  return operator;
}
