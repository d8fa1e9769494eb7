/** A head beyond this is answered with 431. */
export const HEAD_LIMIT_BYTES = 32 * 1024;

/** What the unfinished heads of all clients may take together; whoever needs more is answered with 503. */
export const PARTIAL_HEADS_LIMIT_BYTES = 64 * 1024 * 1024;

/** More fields than this are answered with 431. */
export const FIELD_LIMIT = 256;

/** Chunk extensions and trailers carry nothing we need, so a message may spend only this much on each. */
export const EXTENSION_LIMIT_BYTES = 4 * 1024;
export const TRAILER_LIMIT_BYTES = 16 * 1024;

/** Larger ones are not kept to be compared with the next, or to be sent again: a client that waits or is idle should take little. */
export const KEPT_HEAD_BYTES = 2 * 1024;
