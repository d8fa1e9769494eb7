/**
 * How the operator's heap grows: it mostly waits, so memory is worth more than the time to collect it. Left alone, V8 lets the heap of a large cluster
 * double before it looks.
 */
export const operatorNodeFlags = ['--max-semi-space-size=8', '--heap-growing-percent=30'];

/**
 * The resolver's young generation begins at the size to which V8 lets it grow, and no full collection comes before the heap has 256 MB: a crowd that
 * is held, and then let go all at once, should not wait for either. An idle process takes 10 MB more for it. Where a container has less, V8 keeps to that.
 */
export const resolverNodeFlags = ['--min-semi-space-size=16', '--initial-heap-size=256'];
