/** A Service, whatever is asked of it. */
export interface ServiceRef {
  readonly namespace: string;
  readonly service: string;
}

/** A map by Service that is looked into without making a key: the hot path asks it for every request. */
export class ServiceMap<T> {
  private readonly byNamespace = new Map<string, Map<string, T>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get({ namespace, service }: ServiceRef): T | undefined {
    return this.byNamespace.get(namespace)?.get(service);
  }

  set({ namespace, service }: ServiceRef, value: T): void {
    const services = this.byNamespace.get(namespace) ?? new Map<string, T>();
    this.byNamespace.set(namespace, services);
    if (!services.has(service)) this.count++;
    services.set(service, value);
  }

  delete({ namespace, service }: ServiceRef): void {
    const services = this.byNamespace.get(namespace);
    if (!services?.delete(service)) return;
    this.count--;
    if (services.size === 0) this.byNamespace.delete(namespace);
  }

  *values(): Generator<T, undefined> {
    for (const services of this.byNamespace.values()) yield* services.values();
    return undefined;
  }
}
