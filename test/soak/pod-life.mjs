// Every second a pod comes and another goes, in order or by dying; now and then all of them, so that the service sleeps.
import { setTimeout as wait } from 'node:timers/promises';
import { Pod } from './pods.mjs';

const tickMs = 1_000;
const mostAtOnce = 4;
/** How long the slices name a pod that died. */
const lagMs = 200;
/** How long a pod that stops still serves after the slices have told so, as one does that sleeps before it stops. */
const preStopMs = 1_000;
/** So long may a connection look alive after its pod has died: the kernel tells the other side at once, which may be busy. */
const newsMs = 50;
const addresses = 250;
/** Spans in which pods only leave in order take turns with spans in which they also die: in the first nothing excuses a failure. */
const spanMs = 15_000;

export class PodLife {
  /** When pods died, by performance.now(). */
  deaths = [];
  counts = { came: 0, left: 0, died: 0, slept: 0 };
  #live = new Map();
  /** Addresses in the slices: a dead pod is named for a while. */
  #named = new Set();
  #leaving = new Set();
  #asleepTicks = 0;
  #number = 0;

  /** `publish` makes exactly these addresses ready; pods note in the ledger what they see. */
  constructor(publish, ledger) {
    this.publish = publish;
    this.ledger = ledger;
  }

  async run(signal) {
    await this.#come();
    while (!signal.aborted) {
      await wait(tickMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#tick();
    }
  }

  /** All pods leave in order; resolves when the last has gone. */
  async rest() {
    for (const address of [...this.#live.keys()]) this.#leave(address);
    await Promise.all(this.#leaving);
  }

  /** Whether one died in this time, or so shortly before that its connections may have looked alive. */
  diedDuring(fromMs, toMs) {
    return this.deaths.some((atMs) => atMs >= fromMs - newsMs && atMs <= toMs);
  }

  async #tick() {
    if (this.#asleepTicks > 0) {
      this.#asleepTicks -= 1;
      if (this.#asleepTicks === 0) await this.#come();
      return;
    }
    if (Math.random() < 0.1) {
      this.counts.slept += 1;
      this.#asleepTicks = 1 + Math.floor(Math.random() * 3);
      for (const address of [...this.#live.keys()]) this.#goSomehow(address);
      return;
    }
    if (this.#live.size < mostAtOnce) await this.#come();
    if (this.#live.size > 1) this.#goSomehow(this.#live.keys().next().value);
  }

  async #come() {
    this.#number += 1;
    const address = `127.0.2.${1 + (this.#number % addresses)}`;
    this.#live.set(address, await Pod.start(address, this.ledger));
    this.#named.add(address);
    this.counts.came += 1;
    await this.#announce();
  }

  #goSomehow(address) {
    const isCalm = Math.floor(performance.now() / spanMs) % 2 === 0;
    if (isCalm || Math.random() < 0.5) this.#leave(address);
    else this.#die(address);
  }

  #leave(address) {
    const pod = this.#take(address);
    this.counts.left += 1;
    this.#named.delete(address);
    this.#follow(
      this.#announce()
        .then(() => wait(preStopMs))
        .then(() => pod.drain()),
    );
  }

  #die(address) {
    const pod = this.#take(address);
    this.counts.died += 1;
    this.deaths.push(performance.now());
    pod.die();
    this.#follow(
      wait(lagMs).then(() => {
        this.#named.delete(address);
        return this.#announce();
      }),
    );
  }

  #take(address) {
    const pod = this.#live.get(address);
    this.#live.delete(address);
    return pod;
  }

  #follow(work) {
    const followed = work.finally(() => this.#leaving.delete(followed));
    this.#leaving.add(followed);
  }

  #announce() {
    return this.publish([...this.#named]);
  }
}
