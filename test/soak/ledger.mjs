// Who saw which request. Clients and pods live in one process here, so both can say so in one place.

/** A second pod may get a request after its client has gone. */
const lateMs = 5_000;

/** Keeps only what is under way, and a little beyond that. */
export class Ledger {
  /** Requests that must not be sent twice, and were whole at two pods. */
  seenTwice = 0;
  #entries = new Map();
  #number = 0;

  /** A name for a request that is about to be sent; those that are `repeatable` may be whole at any number of pods. */
  begin({ repeatable }) {
    this.#number += 1;
    const id = `r${this.#number}`;
    this.#entries.set(id, { pods: new Set(), wholeAt: 0, repeatable });
    return id;
  }

  /** A pod has something of it. */
  saw(id, pod) {
    this.#entries.get(id)?.pods.add(pod);
  }

  /** A pod has all of it. */
  sawWhole(id, pod) {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.pods.add(pod);
    entry.wholeAt += 1;
    if (!entry.repeatable && entry.wholeAt > 1) this.seenTwice += 1;
  }

  /** Whether a pod that died had something of it. */
  wasLostWithPod(id) {
    return [...(this.#entries.get(id)?.pods ?? [])].some((pod) => pod.isDead);
  }

  end(id) {
    setTimeout(() => this.#entries.delete(id), lateMs).unref();
  }
}
