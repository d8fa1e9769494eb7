import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigMap, CustomResourceDefinition, KubeClient, Namespace, ServiceAccount } from '@elasti/operator-kit';
import type { KubeObject, ResourceDefinition } from '@elasti/operator-kit';
import type { KubeSim } from '@elasti/kube-sim';
import { loopbackNetwork } from '../fixtures/loopback-network';
import { Collection, succeeded } from './collection';
import type { Doc, Draft } from './collection';
import { eventually } from './eventually';
import { addressIn } from './kubeconfig';
import { Wire } from './wire';
import type { ServerAddress } from './wire';

jest.setTimeout(90_000);

/** Which server a run is about: kube-sim in this process, or the cluster that KUBECONFIG names. */
export type ServerUnderTest = 'kube-sim' | 'apiserver';

export function serverUnderTest(): ServerUnderTest {
  const asked = process.env.ELASTI_CONFORMANCE ?? 'kube-sim';
  if (asked === 'kube-sim' || asked === 'apiserver') return asked;
  throw new Error(`ELASTI_CONFORMANCE is "${asked}": set it to kube-sim or apiserver`);
}

/**
 * The server that one spec file talks to, with a namespace and a CRD group that nobody else uses.
 *
 * Both exist from before the first case until after the last; watches end with their case.
 */
export class TestServer {
  private readonly id = randomBytes(4).toString('hex');
  readonly namespace = `conformance-${this.id}`;
  readonly group = `${this.id}.conformance.example.com`;
  private connected?: Wire;
  private sim?: KubeSim;
  private address?: ServerAddress;
  private readonly clients: KubeClient[] = [];
  private readonly ends: (() => Promise<void>)[] = [];

  constructor(private readonly pods: PodsUnderTest) {}

  /** The bare wire; only usable once the cases run. */
  get wire(): Wire {
    return this.connected ?? notYet();
  }

  /** A client of the kit with connections of its own. */
  newClient(): KubeClient {
    const { url, token, tls } = this.address ?? notYet();
    const { rejectUnauthorized = true, ...certificates } = tls ?? {};
    const client = KubeClient.forServer({ server: url, token, ...certificates, insecureSkipTlsVerify: !rejectUnauthorized });
    this.clients.push(client);
    return client;
  }

  /** A kind: in this file's namespace when it is namespaced. */
  of<T extends KubeObject = Doc>(definition: ResourceDefinition<T>): Collection<T> {
    return new Collection(() => this.wire, definition, definition.namespaced ? this.namespace : undefined);
  }

  /** The same with content that the compiler lets through unseen. */
  docs(definition: ResourceDefinition): Collection {
    return this.of(definition as ResourceDefinition<Doc>);
  }

  async start(): Promise<void> {
    if (serverUnderTest() === 'kube-sim') this.sim = await startKubeSim(this.pods);
    this.address = addressIn(this.sim?.kubeconfig() ?? readKubeconfig());
    this.connected = new Wire(this.address);
    await this.of(Namespace).given({ metadata: { name: this.namespace } });
    // A cluster refuses pods until the namespace has it; the simulator makes none, and asks for none.
    if (!this.sim) await eventually(() => this.of(ServiceAccount).read('default'));
  }

  /** Makes a CRD in this file's group and waits until its resources are served. */
  async installCrd(crd: Draft & { spec: { names: { plural: string }; versions: { name: string }[]; scope: string } }): Promise<void> {
    const name = `${crd.spec.names.plural}.${this.group}`;
    await this.docs(CustomResourceDefinition).given({ ...crd, metadata: { ...crd.metadata, name } });
    await eventually(async () => {
      for (const version of crd.spec.versions) {
        succeeded(await this.wire.call('GET', `/apis/${this.group}/${version.name}/${crd.spec.names.plural}`));
      }
    });
  }

  /** Runs before the server is cleaned up: whatever a file started must not work against that. */
  onStop(end: () => Promise<void>): void {
    this.ends.push(end);
  }

  async stop(): Promise<void> {
    for (const end of this.ends) await end();
    if (this.connected && !this.sim) await this.cleanUp();
    await Promise.all(this.clients.map((client) => client.close()));
    await this.connected?.close();
    await this.sim?.stop();
  }

  private async cleanUp(): Promise<void> {
    const crds = this.of(CustomResourceDefinition);
    const ours = succeeded(await crds.list()).items.filter(({ spec }) => spec.group.endsWith(this.group));
    await this.releaseAll(this.of(ConfigMap));
    for (const { metadata, spec } of ours) {
      const version = spec.versions.find(({ served }) => served)?.name ?? '';
      const { kind, plural } = spec.names;
      await this.releaseAll(this.of({ group: spec.group, version, kind, plural, namespaced: spec.scope === 'Namespaced' }));
      await crds.delete(metadata.name ?? '');
    }
    await this.of(Namespace).delete(this.namespace);
  }

  /** A case that failed, or looks at finalizers, leaves objects behind that nobody else would let go. */
  private async releaseAll(collection: Collection<KubeObject>): Promise<void> {
    const { code, body } = await collection.list();
    const held = code === 200 ? body.items.filter(({ metadata }) => metadata.finalizers) : [];
    for (const { metadata } of held) await collection.patch(metadata.name ?? '', 'merge', { metadata: { finalizers: null } });
  }
}

/** Whether pods run, on the simulator as processes; where they need not, they are only looked at as objects. */
export type PodsUnderTest = 'run' | 'rest';

/** Declares the server of a spec file; call it once, at the top. */
export function useServer(pods: PodsUnderTest = 'rest'): TestServer {
  const server = new TestServer(pods);
  beforeAll(() => server.start());
  afterEach(() => server.wire.closeWatches());
  afterAll(() => server.stop());
  return server;
}

/** A run against a cluster does without the simulator altogether. */
async function startKubeSim(pods: PodsUnderTest): Promise<KubeSim> {
  const { KubeSim, ProcessRuntime } = await import('@elasti/kube-sim');
  if (pods === 'rest') return KubeSim.start();
  const network = loopbackNetwork();
  const runtime = new ProcessRuntime({ network: 'addresses', podRange: `${network}.0/25` });
  return KubeSim.start({ workloads: { runtime, services: { range: `${network}.128/25` } } });
}

function notYet(): never {
  throw new Error('the server starts before the first case: do not call it while cases are being declared');
}

function readKubeconfig(): string {
  const path = process.env.KUBECONFIG;
  if (!path) throw new Error('KUBECONFIG is not set: name the kubeconfig of the cluster to test against');
  return readFileSync(path, 'utf8');
}
