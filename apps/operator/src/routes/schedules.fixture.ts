import { setImmediate as turn } from 'node:timers/promises';

/** Lets a step that waits here go on when its turn comes. */
export class Turnstile {
  private readonly waiting: (() => void)[] = [];

  readonly pass = (): Promise<void> => new Promise((resolve) => void this.waiting.push(resolve));

  get isWaited(): boolean {
    return this.waiting.length > 0;
  }

  letOneGo(): void {
    this.waiting.shift()?.();
  }
}

/** One who acts step by step: each step waits at the turnstile. */
export interface Actor {
  readonly turnstile: Turnstile;
  run(): Promise<unknown>;
}

/**
 * Runs the scene once for every order in which the first steps of its actors can follow each other, and tells how many orders there were.
 * After `depth` steps the first who can goes on alone: those who disturb each other for ever would make the number of orders endless.
 *
 * A scene is built anew for each order and must do the same for the same order.
 */
export async function inEveryOrder(
  scene: () => Promise<{ actors: readonly Actor[]; check: () => Promise<void> | void }>,
  depth: number,
): Promise<number> {
  let orders = 0;
  /** The choice made at each step, and how many there were. */
  let path: { choice: number; choices: number }[] = [];
  do {
    const { actors, check } = await scene();
    const running = actors.map((actor) => ({ actor, done: false }));
    const all = Promise.all(
      running.map(async (entry) => {
        await entry.actor.run();
        entry.done = true;
      }),
    );
    for (let step = 0; ; step++) {
      while (running.some(({ actor, done }) => !done && !actor.turnstile.isWaited)) await turn();
      const ready = running.filter(({ done }) => !done);
      if (ready.length === 0) break;
      if (step < depth) path[step] ??= { choice: 0, choices: ready.length };
      ready[path[step]?.choice ?? 0]?.actor.turnstile.letOneGo();
      await turn();
    }
    await all;
    await check();
    orders++;
    path = nextPath(path);
  } while (path.length > 0);
  return orders;
}

function nextPath(path: readonly { choice: number; choices: number }[]): { choice: number; choices: number }[] {
  const next = [...path];
  for (let last = next.pop(); last; last = next.pop()) {
    if (last.choice + 1 < last.choices) return [...next, { ...last, choice: last.choice + 1 }];
  }
  return next;
}
