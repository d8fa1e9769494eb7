import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, type Socket, isIPv6 } from 'node:net';
import {
  Admission,
  ApiError,
  ApiServer,
  CrdRegistrar,
  Discovery,
  FieldTracker,
  ObjectDeleter,
  ObjectLister,
  ObjectPatcher,
  ObjectWriter,
  OpenApiHandler,
  PathHandler,
  PodLogHandler,
  ResourceHandler,
  ResourceRegistry,
  ReviewHandler,
} from './api';
import { CrdLifecycle, NamespaceLifecycle, OwnerCollector } from './garbage';
import { FaultSwitches, type OpenWatch } from './faults';
import { AddressRange, type LoopbackEndpoints } from './network';
import { RuleTable, type RuleTableSettings } from './rbac';
import { RequestCounters } from './request-counters';
import { type TlsMaterial, selfSigned } from './self-signed';
import { type SimClock, isoSeconds, systemClock } from './sim-clock';
import { type PodRuntime, type ServiceAddress } from './kubelet';
import { type JsonObject, ObjectStore, asObject, asString } from './store';
import { type WorkloadSettings, Workloads } from './workloads';

export interface KubeSimSettings {
  /** Default: any free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Serves HTTPS: with a certificate made for the occasion, or with the given one. Default: plain HTTP. */
  readonly tls?: 'self-signed' | TlsMaterial;
  /** Users and what they may do. Default: everyone may do everything. */
  readonly rules?: RuleTableSettings;
  readonly clock?: SimClock;
  /** Changes kept per resource for watches. Default 10,000. */
  readonly historyLimit?: number;
  /** Default one minute. */
  readonly bookmarkIntervalMs?: number;
  /** Runs Deployments, StatefulSets, Services' endpoints and pods; `{}` with the defaults of all. Default: nothing does. */
  readonly workloads?: WorkloadSettings;
  /** Whether EndpointSlices may name loopback addresses. Default: as on a real server not, save with pods that are there (ProcessRuntime). */
  readonly loopbackEndpoints?: LoopbackEndpoints;
}

const FIRST_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
const CLUSTER_RANGE = '10.96.0.0/16';
const LOOPBACK_CLUSTER_RANGE = '127.96.0.0/16';
const DEFAULT_WATCH_TIMEOUT_MS = 45 * 60_000;

/**
 * A Kubernetes API server inside this process, over real HTTP.
 *
 * Guarantees the API's behaviour towards clients: versions, conflicts, watches, subresources. Objects live in memory
 * and are gone with the process. Nothing runs pods unless the workloads are switched on. After stop() no socket and no
 * timer is left.
 */
export class KubeSim {
  readonly faults: FaultSwitches;
  readonly requests = new RequestCounters();
  readonly store: ObjectStore;
  private readonly registry = new ResourceRegistry();
  private readonly background: readonly { stop(): void }[];
  private readonly workloads?: Workloads;
  private readonly resources: ResourceHandler;
  private readonly api: ApiServer;
  private readonly clock: SimClock;
  private server?: Server;
  /** All of them, also those that have not yet finished a TLS handshake, which the server itself would wait for. */
  private readonly sockets = new Set<Socket>();
  private tls?: TlsMaterial;
  private boundPort = 0;

  /** Starts a server that accepts connections when the promise is fulfilled. */
  static async start(settings: KubeSimSettings = {}): Promise<KubeSim> {
    const sim = new KubeSim(settings);
    const { tls, host = '127.0.0.1' } = settings;
    sim.tls = tls === 'self-signed' ? await selfSigned([host, '127.0.0.1', 'localhost'], Date.now()) : tls;
    await sim.listen();
    return sim;
  }

  private constructor(private readonly settings: KubeSimSettings) {
    this.clock = settings.clock ?? systemClock;
    this.store = new ObjectStore({ historyLimit: settings.historyLimit });
    const rules = new RuleTable(settings.rules);
    const tracker = new FieldTracker(this.clock);
    const network = settings.workloads?.runtime?.network;
    const admission = new Admission(this.store, {
      clusterRange: new AddressRange(
        network === 'addresses' ? (settings.workloads?.services?.range ?? LOOPBACK_CLUSTER_RANGE) : CLUSTER_RANGE,
      ),
      loopbackEndpoints: settings.loopbackEndpoints ?? (network === undefined ? 'refused' : 'allowed'),
    });
    const writer = new ObjectWriter(this.store, admission, tracker, this.clock);
    const deleter = new ObjectDeleter(this.store, this.clock);
    this.resources = new ResourceHandler(
      this.store,
      new ObjectLister(this.store),
      writer,
      new ObjectPatcher(this.store, writer, tracker),
      deleter,
      this.clock,
      { bookmarkIntervalMs: settings.bookmarkIntervalMs ?? 60_000, defaultTimeoutMs: DEFAULT_WATCH_TIMEOUT_MS },
    );
    this.faults = new FaultSwitches({
      openWatches: () => this.openWatches(),
      stopListening: () => this.unlisten(),
      startListening: () => this.listen(),
    });
    this.background = [
      new CrdRegistrar(this.store, this.registry, this.clock, (storageId) => {
        this.resources.endWatchesOf(storageId);
      }),
      new OwnerCollector(this.store, this.registry, deleter),
      new NamespaceLifecycle(this.store, this.registry, deleter, this.clock),
      new CrdLifecycle(this.store, this.registry, deleter),
    ];
    this.api = new ApiServer({
      registry: this.registry,
      resources: this.resources,
      paths: new PathHandler(new Discovery(this.registry), new OpenApiHandler(this.registry)),
      reviews: new ReviewHandler(rules),
      logs: logHandler(this.store, settings.workloads?.runtime),
      rules,
      faults: this.faults,
      clock: this.clock,
      onRequest: (request) => {
        this.requests.count(request);
      },
    });
    this.addFirstNamespaces();
    if (settings.workloads)
      this.workloads = new Workloads(
        { store: this.store, registry: this.registry, writer, deleter, tracker },
        this.clock,
        settings.workloads,
      );
    // As on a server that has run for a while: its earliest versions are no longer there to be read.
    this.store.compact();
  }

  get url(): string {
    const { host = '127.0.0.1' } = this.settings;
    return `${this.tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${this.boundPort}`;
  }

  /** The authority that clients must trust; undefined without TLS. */
  get ca(): string | undefined {
    return this.tls?.ca;
  }

  /** A kubeconfig for kubectl and clients; with a rule table, for the user named or else the first. @throws RangeError for a user it lacks. */
  kubeconfig(userName?: string): string {
    const users = this.settings.rules?.users ?? [];
    const user = userName === undefined ? users[0] : users.find(({ name }) => name === userName);
    if (userName !== undefined && !user)
      throw new RangeError(
        `kubeconfig: no user ${JSON.stringify(userName)} is in the rules, only ${JSON.stringify(users.map(({ name }) => name))}`,
      );
    return [
      'apiVersion: v1',
      'kind: Config',
      'current-context: kube-sim',
      'clusters:',
      '  - name: kube-sim',
      `    cluster: { server: ${JSON.stringify(this.url)}${this.tls ? `, certificate-authority-data: ${base64(this.tls.ca)}` : ''} }`,
      'contexts:',
      '  - name: kube-sim',
      '    context: { cluster: kube-sim, user: kube-sim, namespace: default }',
      'users:',
      '  - name: kube-sim',
      // Without a token kubectl would ask for a password.
      `    user: { token: ${JSON.stringify(user?.token ?? 'kube-sim')} }`,
      '',
    ].join('\n');
  }

  /**
   * Where a Service's port is reached on this machine, the port named by its number or name, or the first; undefined while nothing
   * listens there, and always without pods that are processes.
   */
  serviceAddress(namespace: string, name: string, port?: number | string): ServiceAddress | undefined {
    return this.workloads?.services?.addressNow(namespace, name, port);
  }

  /** Forgets past changes: older watches and continue tokens get 410. */
  compact(): void {
    this.store.compact();
  }

  /** Puts objects straight into the store, without validation, for large fixtures. */
  load(objects: Iterable<JsonObject>): void {
    for (const object of objects) {
      const [version, group] = asString(object.apiVersion).split('/').reverse();
      const type = this.registry.byKind(group ?? '', asString(object.kind));
      if (!type)
        throw new Error(
          `load: no resource is served for ${asString(object.apiVersion)} ${asString(object.kind)} (version ${version ?? ''})`,
        );
      const given = asObject(object.metadata);
      const metadata = {
        uid: randomUUID(),
        creationTimestamp: isoSeconds(this.clock.nowMs()),
        ...(type.hasGeneration ? { generation: 1 } : {}),
        ...given,
      };
      this.store.put(type.storageId, { ...object, metadata });
    }
  }

  /** How many watches clients have open now. */
  get openWatchCount(): number {
    return this.openWatches().length;
  }

  /** Pods that are processes have the grace to end by themselves; without one they are killed. The API answers meanwhile. */
  async stop(graceMs = 0): Promise<void> {
    for (const part of this.background) part.stop();
    await this.workloads?.stop(graceMs);
    await this.unlisten();
  }

  private async listen(): Promise<void> {
    if (this.server) return;
    const onRequest = (incoming: IncomingMessage, response: ServerResponse): void => {
      void this.answer(incoming, response);
    };
    const server = this.tls ? createTlsServer({ cert: this.tls.cert, key: this.tls.key }, onRequest) : createServer(onRequest);
    server.keepAliveTimeout = 90_000;
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.boundPort || (this.settings.port ?? 0), this.settings.host ?? '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
    this.server = server;
    this.boundPort = (server.address() as AddressInfo).port;
  }

  private async unlisten(): Promise<void> {
    const server = this.server;
    if (!server) return;
    this.server = undefined;
    for (const watch of this.resources.openStreams) watch.drop();
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      for (const socket of this.sockets) socket.destroy();
    });
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => response.destroy());
    try {
      await this.api.handle(incoming, response);
    } catch {
      response.destroy();
    }
  }

  private openWatches(): OpenWatch[] {
    return this.resources.openStreams.map((stream) => ({
      request: stream.request,
      bookmark: () => {
        stream.bookmark();
      },
      stall: () => {
        stream.stall();
      },
      resume: () => {
        stream.resume();
      },
      end: () => {
        stream.end();
      },
      drop: () => {
        stream.drop();
      },
      failWith: (code, reason, message) => {
        stream.sendError(new ApiError(code, reason, message));
        stream.end();
      },
    }));
  }

  private addFirstNamespaces(): void {
    this.load(
      FIRST_NAMESPACES.map((name) => ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      })),
    );
  }
}

function logHandler(store: ObjectStore, runtime?: PodRuntime): PodLogHandler | undefined {
  return runtime?.logOf && new PodLogHandler(store, (uid) => runtime.logOf?.(uid));
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
