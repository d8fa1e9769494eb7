import type { RehearsalSubject } from '@elasti/api';
import { instanceOf, type ResolverPod } from './resolver-pod';

/** Twice as many as there are resolver ports to give away; the oldest is forgotten first, which only costs another rehearsal. */
const maxServices = 20_000;

interface Remembered {
  /** The one set of routes that counts. */
  readonly routes: string;
  readonly instances: readonly string[];
}

/**
 * Which pod instances have rehearsed a Service's routes as they are.
 *
 * One small entry for each Service, whatever its history: other routes replace what was known of the former ones.
 */
export class RehearsalMemory {
  private readonly services = new Map<string, Remembered>();
  /** One copy of each name, shared by all entries. */
  private readonly instances = new Map<string, string>();

  has(subject: RehearsalSubject, pod: ResolverPod): boolean {
    const known = this.services.get(keyOf(subject));
    return known?.routes === fingerprintOf(subject) && known.instances.includes(instanceOf(pod));
  }

  add(subject: RehearsalSubject, pod: ResolverPod): void {
    if (this.has(subject, pod)) return;
    const key = keyOf(subject);
    const routes = fingerprintOf(subject);
    const known = this.services.get(key);
    const instances = known?.routes === routes ? known.instances : [];
    this.services.set(key, { routes, instances: [...instances, this.intern(instanceOf(pod))] });
    if (this.services.size > maxServices) this.dropOldest();
  }

  remove(subject: RehearsalSubject, pod: ResolverPod): void {
    const key = keyOf(subject);
    const known = this.services.get(key);
    if (known) this.keep(key, known, (instance) => instance !== instanceOf(pod));
  }

  forgetService(namespace: string, service: string): void {
    this.services.delete(keyOf({ namespace, service }));
  }

  keepOnly(pods: readonly ResolverPod[]): void {
    const present = new Set(pods.map(instanceOf));
    const gone = [...this.instances.keys()].filter((instance) => !present.has(instance));
    if (gone.length === 0) return;
    for (const instance of gone) this.instances.delete(instance);
    for (const [key, known] of this.services) this.keep(key, known, (instance) => present.has(instance));
  }

  private keep(key: string, known: Remembered, isKept: (instance: string) => boolean): void {
    const instances = known.instances.filter(isKept);
    if (instances.length === 0) this.services.delete(key);
    else if (instances.length < known.instances.length) this.services.set(key, { ...known, instances });
  }

  private intern(instance: string): string {
    const known = this.instances.get(instance);
    if (known === undefined) this.instances.set(instance, instance);
    return known ?? instance;
  }

  private dropOldest(): void {
    const { value: oldest } = this.services.keys().next();
    if (oldest !== undefined) this.services.delete(oldest);
  }
}

/** Neither name can have a slash. */
function keyOf({ namespace, service }: Pick<RehearsalSubject, 'namespace' | 'service'>): string {
  return `${namespace}/${service}`;
}

/** The same for the same routes in any order. */
function fingerprintOf({ routes }: RehearsalSubject): string {
  return routes
    .map(({ port, resolverPort }) => `${port}:${resolverPort}`)
    .sort()
    .join();
}
