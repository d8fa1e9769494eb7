import { AlreadyExistsError, ConflictError, type KubeObject, type ObjectRef, type ResourceLike, definitionOf, formatRef } from '../client';
import type { CertificateStore } from './bundle-targets';

/** Objects by kind and name, with resource versions that guard replacing; every write is noted in `writes`. */
export class FakeStore implements CertificateStore {
  readonly writes: string[] = [];
  private readonly objects = new Map<string, KubeObject>();
  private version = 0;
  private readonly failures: Error[] = [];

  /** Makes the next call fail. */
  failNext(error: Error): void {
    this.failures.push(error);
  }

  put(resource: ResourceLike, object: KubeObject): void {
    this.objects.set(keyOf(resource, object.metadata as ObjectRef), this.stamped(object));
  }

  remove(resource: ResourceLike, ref: ObjectRef): void {
    this.objects.delete(keyOf(resource, ref));
  }

  peek<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef): T {
    return this.objects.get(keyOf(resource, ref)) as T;
  }

  async find<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef): Promise<T | undefined> {
    await this.failing();
    return structuredClone(this.objects.get(keyOf(resource, ref))) as T | undefined;
  }

  async create<T extends KubeObject>(resource: ResourceLike<T>, object: T): Promise<T> {
    await this.failing();
    const key = keyOf(resource, object.metadata as ObjectRef);
    if (this.objects.has(key)) throw new AlreadyExistsError(409, status('AlreadyExists'), `POST ${key}`);
    return this.store(key, object);
  }

  async replace<T extends KubeObject>(resource: ResourceLike<T>, object: T): Promise<T> {
    await this.failing();
    const key = keyOf(resource, object.metadata as ObjectRef);
    const current = this.objects.get(key);
    if (current?.metadata.resourceVersion !== object.metadata.resourceVersion) {
      throw new ConflictError(409, status('Conflict'), `PUT ${key}`);
    }
    return this.store(key, object);
  }

  private async failing(): Promise<void> {
    // As over a network, others get to run in between.
    await Promise.resolve();
    const failure = this.failures.shift();
    if (failure) throw failure;
  }

  private store<T extends KubeObject>(key: string, object: T): T {
    const stored = this.stamped(object);
    this.objects.set(key, stored);
    this.writes.push(key);
    return structuredClone(stored);
  }

  private stamped<T extends KubeObject>(object: T): T {
    return { ...structuredClone(object), metadata: { ...object.metadata, resourceVersion: String(++this.version) } };
  }
}

function keyOf(resource: ResourceLike, ref: ObjectRef): string {
  return `${definitionOf(resource).kind} ${formatRef(ref)}`;
}

function status(reason: string) {
  return { kind: 'Status', apiVersion: 'v1', reason } as const;
}
