import type { Logger } from './logger';

/** Says nothing: the default of parts that can be used without a logger. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
};
