import type { KubeObject, KubeReader, KubeWriter, ObjectRef, Patch, ResourceLike } from '../client';
import type { ControllerHost, LeaderRunnable } from '../controller';
import type { EventNote, ObjectEvents } from '../events';
import { KitMetrics } from '../metrics';
import { FakeCaches } from './fake-caches';
import { FakeClock } from './fake-clock';
import { RecordingLogger } from './recording-logger';

export interface SentPatch {
  ref: ObjectRef;
  patch: Patch;
  subresource?: string;
}

export interface FakeAnswers {
  patch?: (sent: SentPatch) => KubeObject;
  find?: (ref: ObjectRef) => KubeObject | undefined;
}

/** Answers patches and reads as a test tells it to; anything else is a surprise. */
export function fakeClient(answers: FakeAnswers = {}): { client: KubeReader & KubeWriter; patches: SentPatch[] } {
  const patches: SentPatch[] = [];
  const surprise = () => {
    throw new Error('no such call was expected');
  };
  const client: KubeReader & KubeWriter = {
    get: surprise,
    find: <T extends KubeObject>(_resource: ResourceLike<T>, ref: ObjectRef) => Promise.resolve(answers.find?.(ref) as T | undefined),
    list: surprise,
    listAll: surprise,
    watch: surprise,
    getScale: surprise,
    create: surprise,
    replace: surprise,
    replaceStatus: surprise,
    apply: surprise,
    patch: <T extends KubeObject>(_resource: ResourceLike<T>, ref: ObjectRef, patch: Patch, options?: { subresource?: string }) => {
      const sent = { ref, patch, ...(options?.subresource && { subresource: options.subresource }) };
      patches.push(sent);
      const answer: KubeObject = answers.patch?.(sent) ?? { apiVersion: '', kind: '', metadata: { ...ref } };
      return Promise.resolve(answer as T);
    },
    delete: surprise,
    deleteAll: surprise,
    replaceScale: surprise,
  };
  return { client, patches };
}

/** A manager without the managing: keeps what is added and refuses a name twice, as the seam says. */
export class FakeHost implements ControllerHost {
  readonly clock = new FakeClock();
  readonly caches = new FakeCaches();
  readonly logger = new RecordingLogger();
  readonly metrics = new KitMetrics();
  readonly events: EventNote[] = [];
  readonly runnables: LeaderRunnable[] = [];

  constructor(readonly client: KubeReader & KubeWriter = fakeClient().client) {}

  eventsFor(): ObjectEvents {
    return { emit: (event: EventNote) => void this.events.push(event) };
  }

  add(runnable: LeaderRunnable): void {
    if (this.runnables.some(({ name }) => name === runnable.name)) throw new Error(`there is a ${runnable.name} already`);
    this.runnables.push(runnable);
  }

  /** The value of one of the kit's metrics, 0 when it was never touched. */
  async metric(name: string, labels: Record<string, string>): Promise<number> {
    const metric = await this.metrics.registry.getSingleMetric(name)?.get();
    const value = metric?.values.find(({ labels: own }) => Object.entries(labels).every(([key, wanted]) => own[key] === wanted));
    return value?.value ?? 0;
  }
}
