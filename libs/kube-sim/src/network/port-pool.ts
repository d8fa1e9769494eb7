import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, which could take one between its choice and its use. */
const FIRST_PORT = 10_000;
const LAST_PORT = 19_999;
const SIZE = LAST_PORT - FIRST_PORT + 1;

/**
 * Gives ports of 127.0.0.1 that nobody listens on, each to one owner at a time and the one given back last, last.
 *
 * Others on the machine may still take a port before its owner does.
 */
export class PortPool {
  private readonly taken = new Set<number>();
  private next: number;

  /** Simulators of one machine begin at different numbers, so that they seldom want the same one. */
  constructor(start: number) {
    this.next = start % SIZE;
  }

  /** @throws Error when no port is left. */
  async take(): Promise<number> {
    for (let attempts = 0; attempts < SIZE; attempts++) {
      const port = FIRST_PORT + this.next;
      this.next = (this.next + 1) % SIZE;
      if (this.taken.has(port)) continue;
      this.taken.add(port);
      if (await isFree(port)) return port;
      this.taken.delete(port);
    }
    throw new Error(`no port from ${FIRST_PORT} to ${LAST_PORT} is free on 127.0.0.1`);
  }

  giveBack(port: number): void {
    this.taken.delete(port);
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
