// The product as the synthesized manifests have it, on the cluster of KUBECONFIG, with waits of the operator that a bench can sit through.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const namespace = 'elasti';
const deployments = ['deployment/elasti-operator-controller-manager', 'deployment/elasti-resolver'];
const manifests = join(import.meta.dirname, '../../../infra/manifests/elasti');
const shortWaits = ['POLLING_INTERVAL=1s', 'ELASTI_SETTLE_TIME=1s', 'ELASTI_HANDOVER_GRACE=1s'];

export async function kubectl(...args) {
  return (await run('kubectl', args, { maxBuffer: 16 << 20 })).stdout;
}

export async function apply(objects) {
  const child = spawn('kubectl', ['apply', '-f', '-'], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error('kubectl apply failed');
}

export async function install() {
  await kubectl('apply', '-f', manifests);
  await kubectl('set', 'env', deployments[0], '-n', namespace, ...shortWaits);
  for (const deployment of deployments) await kubectl('rollout', 'status', deployment, '-n', namespace, '--timeout=120s');
}

export async function uninstall() {
  // Resolvers may take their time to leave, and the bench is done with them. A namespace that goes while they do is looked at again only after half
  // of their grace, so they go first, and before them all that would make others.
  for (const kind of ['deployments', 'replicasets']) await kubectl('delete', kind, '--all', '-n', namespace, '--timeout=60s');
  await kubectl('delete', 'pods', '--all', '-n', namespace, '--grace-period=0', '--force', '--timeout=60s');
  await kubectl('delete', '-f', manifests, '--ignore-not-found', '--wait=false');
  await kubectl('wait', '--for=delete', `namespace/${namespace}`, '--timeout=60s');
}
