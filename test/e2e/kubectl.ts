import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs kubectl with the KUBECONFIG of the environment and gives back what it printed. */
export async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await run('kubectl', args, { maxBuffer: 16 << 20 });
  return stdout;
}

/** As `kubectl get -o json`; undefined when the object is not there. */
export async function getObject<T>(...args: string[]): Promise<T | undefined> {
  const text = await kubectl('get', ...args, '--ignore-not-found', '-o', 'json');
  return text ? (JSON.parse(text) as T) : undefined;
}

/** As `kubectl apply -f -`. */
export async function applyYaml(manifest: string): Promise<void> {
  const child = execFile('kubectl', ['apply', '-f', '-']);
  const printed: string[] = [];
  child.stderr?.on('data', (text: string) => printed.push(text));
  child.stdin?.end(manifest);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`kubectl apply failed: ${printed.join('')}`);
}

/** Waits until `check` gives something, asking again as fast as it answers; fails with what it saw last. */
export async function eventually<T>(what: string, check: () => Promise<T | undefined>, deadlineMs = 60_000): Promise<T> {
  const deadline = performance.now() + deadlineMs;
  let last: unknown = 'nothing';
  while (performance.now() < deadline) {
    try {
      const result = await check();
      if (result !== undefined) return result;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`${what}: not within ${deadlineMs} ms; last seen: ${String(last)}`);
}
