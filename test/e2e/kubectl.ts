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
export function applyYaml(manifest: string): Promise<void> {
  return feed('apply', manifest);
}

/** As `kubectl create -f -`, which leaves no note of what was applied. */
export function createYaml(manifest: string): Promise<void> {
  return feed('create', manifest);
}

async function feed(command: 'apply' | 'create', manifest: string): Promise<void> {
  const child = execFile('kubectl', [command, '-f', '-']);
  const printed: string[] = [];
  child.stderr?.on('data', (text: string) => printed.push(text));
  child.stdin?.end(manifest);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`kubectl ${command} failed: ${printed.join('')}`);
}
