import { execFile } from 'node:child_process';

/** Runs kubectl with these arguments and this input, and gives back what it printed. @throws KubectlError */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** kubectl failed; the message is its own. */
export class KubectlError extends Error {
  override readonly name = 'KubectlError';

  get isForbidden(): boolean {
    return this.message.includes('(Forbidden)');
  }

  /** The cluster has no such kind of object. */
  get isUnknownKind(): boolean {
    return /the server doesn't have a resource type|no matches for kind/.test(this.message);
  }
}

/** The installed kubectl; `options` go with every call: `--context`, `--kubeconfig`. */
export function installedKubectl(options: readonly string[]): Kubectl {
  return (args, input = '') =>
    new Promise((resolve, reject) => {
      const child = execFile('kubectl', [...options, ...args], { maxBuffer: 256 << 20 }, (error, stdout, stderr) => {
        if (error) reject(new KubectlError(`kubectl ${args.slice(0, 2).join(' ')}: ${stderr.trim() || error.message}`, { cause: error }));
        else resolve(stdout);
      });
      child.stdin?.end(input);
    });
}
