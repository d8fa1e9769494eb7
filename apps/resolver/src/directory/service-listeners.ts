import { ServiceMap, type ServiceRef } from './service-map';

type Listener = () => void;

/** Who wants to hear of changes of one Service. What is announced is only that something changed: the state is there to be read. */
export class ServiceListeners {
  private readonly listeners = new ServiceMap<Set<Listener>>();

  /** Gives the way to stop listening. */
  add(ref: ServiceRef, listener: Listener): () => void {
    const listeners = this.listeners.get(ref) ?? new Set();
    this.listeners.set(ref, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(ref) === listeners) this.listeners.delete(ref);
    };
  }

  announce(ref: ServiceRef): void {
    for (const listener of this.listeners.get(ref) ?? []) listener();
  }
}
