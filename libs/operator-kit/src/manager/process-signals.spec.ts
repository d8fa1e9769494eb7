import { settle } from '../testing';
import { runUntilSignal } from './process-signals';

class FakeProcess {
  readonly listeners: [event: string, listener: () => void][] = [];
  exitCode?: number;

  on(event: string, listener: () => void): void {
    this.listeners.push([event, listener]);
  }

  off(event: string, listener: () => void): void {
    const index = this.listeners.findIndex(([name, known]) => name === event && known === listener);
    this.listeners.splice(index, index < 0 ? 0 : 1);
  }

  exit(code: number): void {
    this.exitCode = code;
  }

  send(signal: string): void {
    for (const [event, listener] of [...this.listeners]) if (event === signal) listener();
  }
}

const untilStopped = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

describe('runUntilSignal', () => {
  it.each(['SIGTERM', 'SIGINT'])('stops in an orderly way at %s and takes its handlers off', async (signal) => {
    const process = new FakeProcess();
    const running = runUntilSignal(process, untilStopped);

    process.send(signal);
    await running;

    expect(process.exitCode).toBeUndefined();
    expect(process.listeners).toEqual([]);
  });

  it('exits at once at the second signal', async () => {
    const process = new FakeProcess();
    const stuck = Promise.withResolvers<undefined>();
    const running = runUntilSignal(process, () => stuck.promise);

    process.send('SIGTERM');
    await settle();
    expect(process.exitCode).toBeUndefined();

    process.send('SIGINT');
    expect(process.exitCode).toBe(1);
    stuck.resolve(undefined);
    await running;
  });

  it('passes a failure on and takes its handlers off', async () => {
    const process = new FakeProcess();

    await expect(runUntilSignal(process, () => Promise.reject(new Error('lost the lease')))).rejects.toThrow('lost the lease');

    expect(process.listeners).toEqual([]);
  });
});
