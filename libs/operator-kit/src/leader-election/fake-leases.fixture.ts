import { type KubeObject, type Lease, TransportError, apiErrorFor } from '../client';
import type { LeaderElectorParts } from './leader-elector';

type Trouble = 'none' | 'unreachable' | 'silent' | 'answer lost';

/** One Lease behind optimistic concurrency, as the API server keeps it, and switches for what can go wrong on the way to it. */
export class FakeLeases {
  lease?: Lease;
  readonly writes: Lease[] = [];
  private version = 0;

  /** A way to the server; several processes may each have their own trouble. */
  connect(): FakeLeaseClient {
    return new FakeLeaseClient(this);
  }

  /** Somebody else writes. */
  put(spec: Lease['spec'], metadata: Lease['metadata'] = {}): void {
    this.lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'shop', name: 'operator', ...metadata, resourceVersion: `${++this.version}` },
      spec,
    };
  }

  create(lease: Lease): Lease {
    if (this.lease) throw apiErrorFor(409, { kind: 'Status', apiVersion: 'v1', reason: 'AlreadyExists' }, 'POST leases');
    return this.store(lease);
  }

  replace(lease: Lease): Lease {
    if (!this.lease) throw apiErrorFor(404, { kind: 'Status', apiVersion: 'v1', reason: 'NotFound' }, 'PUT lease');
    if (this.lease.metadata.resourceVersion !== lease.metadata.resourceVersion) {
      throw apiErrorFor(409, { kind: 'Status', apiVersion: 'v1', reason: 'Conflict' }, 'PUT lease');
    }
    return this.store(lease);
  }

  private store(lease: Lease): Lease {
    this.lease = structuredClone({ ...lease, metadata: { ...lease.metadata, resourceVersion: `${++this.version}` } });
    this.writes.push(this.lease);
    return structuredClone(this.lease);
  }
}

type LeaseClient = LeaderElectorParts['client'];

export class FakeLeaseClient implements LeaseClient {
  trouble: Trouble = 'none';

  constructor(private readonly leases: FakeLeases) {}

  find<T extends KubeObject>(): Promise<T | undefined> {
    return this.answer(() => structuredClone(this.leases.lease) as T | undefined);
  }

  create<T extends KubeObject>(_resource: unknown, object: T): Promise<T> {
    return this.answer(() => this.leases.create(object as unknown as Lease) as unknown as T);
  }

  replace<T extends KubeObject>(_resource: unknown, object: T): Promise<T> {
    return this.answer(() => this.leases.replace(object as unknown as Lease) as unknown as T);
  }

  private async answer<T>(call: () => T): Promise<T> {
    await Promise.resolve();
    if (this.trouble === 'silent') return new Promise<never>(() => undefined);
    if (this.trouble === 'unreachable') throw new TransportError('leases', { cause: new Error('connection refused') });

    const result = call();
    if (this.trouble === 'answer lost') throw new TransportError('leases', { cause: new Error('connection reset') });
    return result;
  }
}
