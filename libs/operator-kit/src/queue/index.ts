export { RateLimiter } from './rate-limiter';
export type { RateLimiterOptions } from './rate-limiter';
export type { AgingOptions } from './ready-keys';
export { priorities, WorkQueue } from './work-queue';
export type { AddOptions, TakenKey, WorkQueueOptions } from './work-queue';
