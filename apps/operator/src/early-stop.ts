/**
 * Makes SIGTERM and SIGINT end the process while it is still starting; imported first, so that it holds from the first moment.
 *
 * The first process of a container ignores a signal that nobody listens for: it would start, and be killed when its grace period is over.
 * Nothing has begun by then that would have to be put in order.
 */
const signals = ['SIGTERM', 'SIGINT'] as const;

const exit = () => process.exit(0);

for (const signal of signals) process.once(signal, exit);

/** From now on somebody else sees to an orderly stop. */
export function endEarlyStop(): void {
  for (const signal of signals) process.off(signal, exit);
}
