const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Makes SIGTERM and SIGINT end the process while it is still starting. Called by the first module that a program imports, it holds from the first moment;
 * this one imports nothing.
 *
 * The first process of a container ignores a signal that nobody listens for: it would start, and be killed when its grace period is over.
 * Nothing has begun by then that would have to be put in order. The answer, once called, leaves an orderly stop to somebody else.
 */
export function stopEarly(): () => void {
  const exit = () => process.exit(0);
  for (const signal of signals) process.once(signal, exit);
  return () => {
    for (const signal of signals) process.off(signal, exit);
  };
}
