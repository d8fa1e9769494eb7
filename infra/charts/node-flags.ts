/**
 * How the operator's heap grows: it mostly waits, so memory is worth more than the time to collect it. Left alone, V8 lets the heap of a large cluster
 * double before it looks.
 */
export const operatorNodeFlags = ['--max-semi-space-size=8', '--heap-growing-percent=30'];
