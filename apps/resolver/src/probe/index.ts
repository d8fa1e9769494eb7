export type { ProbeRequest } from './probe-request';
export * from './probe-responses';
