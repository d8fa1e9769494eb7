/** A header block beyond this, with all its CONTINUATION frames, ends the connection. */
export const BLOCK_LIMIT_BYTES = 32 * 1024;
export const CONTINUATION_LIMIT = 64;

/** What a block may unfold to; more is answered with 431. */
export const FIELDS_LIMIT_BYTES = 32 * 1024;
export const FIELD_LIMIT = 256;

/** Streams that a client may have open while it waits for a pod: no usual server allows less. */
export const HELD_STREAMS = 100;
/** Streams that a client may have open with a pod, whatever the pod allows. */
export const OPEN_STREAMS = 1_024;

/** What the heads of one connection's held streams may take. Their bodies are bound by the window of the connection. */
export const HELD_HEADS_BYTES = 256 * 1024;

/** What a held stream takes beside its head and body. */
export const STREAM_BYTES = 512;

/** The same for streams that wait although there is a pod, because it does not take what it was sent. */
export const WAITING_HEADS_BYTES = 1024 * 1024;

/** Request heads are written for a pod only as long as no more than this waits to be flushed. */
export const UNFLUSHED_BYTES = 256 * 1024;

/**
 * What all bodies together may take that wait for a pod, or for others to end because the pod takes few at a time: as much for each stream
 * as for a request of HTTP/1. Less could not be kept to without cutting the streams that are with the pod off from the window they share.
 */
export const HELD_BODIES_BYTES = HELD_STREAMS * 64 * 1024;

/** What a connection keeps of requests that were sent and are not answered, to repeat them if their pod is lost. */
export const KEPT_BYTES = 1024 * 1024;
export const KEPT_BODY_BYTES = 64 * 1024;

/** What may wait for the windows of a pod that is there: beyond this its client is no longer read. */
export const BACKLOG_BYTES = 1024 * 1024;
/** What of that bodies may take that are begun only to let others pass: what the client sends meanwhile needs the rest. */
export const EARLY_BACKLOG_BYTES = BACKLOG_BYTES / 2;

/** What may be on its way for streams that are over, whatever their windows were: no usual client has more under way. */
export const LATE_BYTES = 16 * 1024 * 1024;

/** Answers of our own that a client does not take: beyond this it is no longer read. */
export const UNTAKEN_BYTES = 64 * 1024;
