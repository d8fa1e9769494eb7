import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from '../../eventually';
import { kubectl } from '../kubectl';

const shell = promisify(exec);
const { STOP_API_SERVER, START_API_SERVER, PAUSE_KUBELET, RESUME_KUBELET } = process.env;

/** Where the cluster's parts can be told to fail, the tests that need it run. */
export const itWithApiServer = STOP_API_SERVER && START_API_SERVER ? it : it.skip;
export const itWithKubelet = PAUSE_KUBELET && RESUME_KUBELET ? it : it.skip;

/**
 * Told to go, away until this long after that, and asked all the time whether it really is; then there again. A longer absence would have Kubernetes
 * give up the node: it says of every pod on it that it is not ready, and no Service leads anywhere.
 */
export async function withoutApiServerFor(durationMs: number): Promise<void> {
  const endMs = performance.now() + durationMs;
  await shell(STOP_API_SERVER ?? '');
  try {
    while (performance.now() < endMs) {
      await expect(kubectl('get', '--raw', '/readyz', '--request-timeout=1s')).rejects.toThrow();
    }
  } finally {
    await shell(START_API_SERVER ?? '');
  }
  await eventually('the API server', () => kubectl('get', '--raw', '/readyz').catch(() => undefined));
}

/** The kubelets stand still for as long as `during` takes. */
export async function withKubeletPaused(during: () => Promise<void>): Promise<void> {
  await shell(PAUSE_KUBELET ?? '');
  try {
    await during();
  } finally {
    await shell(RESUME_KUBELET ?? '');
  }
}
