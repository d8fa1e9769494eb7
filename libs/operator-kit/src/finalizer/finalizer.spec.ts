import { ConfigMap, ConflictError, InvalidError, NotFoundError } from '../client';
import type { KubeObject, KubeStatus, ObjectMeta, ObjectRef, Patch, ResourceLike } from '../client';
import { Finalizer } from './finalizer';
import type { CleanupOutcome } from './finalizer';

const ours = 'example.com/finalizer';
const theirs = 'other.com/finalizer';
const deletionTimestamp = '2030-01-01T00:00:00Z';
const signal = new AbortController().signal;
const status: KubeStatus = { kind: 'Status', apiVersion: 'v1' };
const request = 'PATCH /configmaps/a';

const anObject = (metadata: Partial<ObjectMeta> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'a', uid: 'uid-a', resourceVersion: '5', ...metadata },
});

/** A server with one object that takes the two patches a finalizer sends, refusing them as the real one does. */
class OneObjectServer {
  readonly patches: Patch[] = [];
  readonly log: string[] = [];

  constructor(public stored: ConfigMap | undefined) {}

  find = async <T extends KubeObject>(): Promise<T | undefined> => this.stored as KubeObject as T | undefined;

  patch = async <T extends KubeObject>(_resource: ResourceLike<T>, _ref: ObjectRef, patch: Patch): Promise<T> => {
    this.patches.push(patch);
    this.log.push(patch.type === 'merge' ? 'finalizer added' : 'finalizer removed');
    const { stored } = this;
    if (!stored) throw new NotFoundError(404, status, request);

    const finalizers = patch.type === 'merge' ? this.merge(stored, patch.body as ConfigMap) : this.removeTested(stored, patch);
    this.stored = anObject({ ...stored.metadata, finalizers, resourceVersion: '6' });
    return this.stored as KubeObject as T;
  };

  private merge(stored: ConfigMap, body: ConfigMap): string[] | undefined {
    if (body.metadata.resourceVersion !== stored.metadata.resourceVersion) throw new ConflictError(409, status, request);
    return body.metadata.finalizers;
  }

  private removeTested(stored: ConfigMap, patch: Patch): string[] {
    if (patch.type !== 'json') throw new Error('a JSON patch was expected');
    const { finalizers = [], uid } = stored.metadata;
    const values: Record<string, unknown> = { '/metadata/finalizers': finalizers, '/metadata/uid': uid };
    const tests = patch.operations.filter(({ op }) => op === 'test');
    if (tests.some(({ path, value }) => JSON.stringify(values[path]) !== JSON.stringify(value)))
      throw new InvalidError(422, status, request);
    const position = Number(
      patch.operations
        .find(({ op }) => op === 'remove')
        ?.path.split('/')
        .at(-1),
    );
    return finalizers.toSpliced(position, 1);
  }
}

function setup(stored: ConfigMap | undefined, seen: ConfigMap | undefined = stored) {
  const server = new OneObjectServer(stored);
  const finalizer = new Finalizer(server, ConfigMap, ours);
  const step = (cleanUp: () => Promise<CleanupOutcome>) => finalizer.step(seen ?? anObject(), cleanUp, signal);
  return { server, step };
}

const cleaned = async (): Promise<CleanupOutcome> => 'cleaned';
const leaving = (...finalizers: string[]) => anObject({ deletionTimestamp, finalizers });

describe('Finalizer on a living object', () => {
  it('Finalizer is added before the first effect', async () => {
    const { server, step } = setup(anObject({ finalizers: [theirs] }));

    const result = await step(cleaned);

    expect(server.log).toEqual(['finalizer added']);
    expect(result).toEqual({ outcome: 'continue', object: anObject({ finalizers: [theirs, ours], resourceVersion: '6' }) });
  });

  it('writes nothing when the finalizer is on', async () => {
    const object = anObject({ finalizers: [ours] });
    const { server, step } = setup(object);

    expect(await step(cleaned)).toEqual({ outcome: 'continue', object });
    expect(server.patches).toEqual([]);
  });

  it('never overwrites a finalizer that was added meanwhile', async () => {
    const { server, step } = setup(anObject({ finalizers: [theirs], resourceVersion: '6' }), anObject());

    await expect(step(cleaned)).rejects.toThrow(ConflictError);
    expect(server.stored?.metadata.finalizers).toEqual([theirs]);
  });

  it('has nothing to do with an object that vanished', async () => {
    const { step } = setup(undefined, anObject());

    expect(await step(cleaned)).toEqual({ outcome: 'not ours' });
  });
});

describe('Finalizer on an object that is being deleted', () => {
  it('cleanup must succeed before it is removed', async () => {
    const { server, step } = setup(leaving(ours));
    const broken = new Error('the bucket is not empty');

    await expect(step(() => Promise.reject(broken))).rejects.toBe(broken);
    expect(await step(async () => 'pending')).toEqual({ outcome: 'cleanup pending' });
    expect(server.patches).toEqual([]);

    const order: string[] = [];
    expect(await step(async () => (order.push(...server.log, 'cleaned'), 'cleaned'))).toEqual({ outcome: 'deleted and cleaned' });
    expect(order).toEqual(['cleaned']);
    expect(server.stored?.metadata.finalizers).toEqual([]);
  });

  it('removal is guarded against a concurrent change', async () => {
    const { server, step } = setup(leaving(theirs, ours), leaving(ours));

    expect(await step(cleaned)).toEqual({ outcome: 'cleanup pending' });
    expect(server.stored?.metadata.finalizers).toEqual([theirs, ours]);
  });

  it('touches no finalizer of others', async () => {
    const { server, step } = setup(leaving(theirs, ours, 'third.com/finalizer'));

    await step(cleaned);

    expect(server.stored?.metadata.finalizers).toEqual([theirs, 'third.com/finalizer']);
  });

  it('is content when the object is gone already', async () => {
    const { step } = setup(undefined, leaving(ours));

    expect(await step(cleaned)).toEqual({ outcome: 'deleted and cleaned' });
  });

  it('is content when the finalizer is off already and only the cache did not know', async () => {
    const { server, step } = setup(leaving(theirs), leaving(theirs, ours));

    expect(await step(cleaned)).toEqual({ outcome: 'deleted and cleaned' });
    expect(server.stored?.metadata.finalizers).toEqual([theirs]);
  });

  it('leaves an object alone that was made anew under the same name', async () => {
    const { server, step } = setup(anObject({ uid: 'uid-new', finalizers: [ours] }), leaving(ours));

    expect(await step(cleaned)).toEqual({ outcome: 'deleted and cleaned' });
    expect(server.stored?.metadata.finalizers).toEqual([ours]);
  });

  it('passes on a refusal that has another reason', async () => {
    const { server, step } = setup(leaving(ours));
    const refusal = new InvalidError(422, status, request);
    server.patch = () => Promise.reject(refusal);

    await expect(step(cleaned)).rejects.toBe(refusal);
  });

  it('does not clean up for an object that never carried the finalizer', async () => {
    const { server, step } = setup(leaving(theirs));
    const cleanUp = () => Promise.reject(new Error('must not be called'));

    expect(await step(cleanUp)).toEqual({ outcome: 'not ours' });
    expect(server.patches).toEqual([]);
  });
});
