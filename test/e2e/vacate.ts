import { eventually } from '../eventually';
import { kubectl } from './kubectl';

/** At most how long `vacate` takes. */
export const vacatingMs = 120_000;

/**
 * Ends every pod in a namespace, and all that would make another, while the namespace still stands.
 *
 * Resolvers may take their time to leave. A namespace that is deleted while they do is looked at again only after half of their grace, however soon
 * they are gone.
 */
export async function vacate(namespace: string): Promise<void> {
  await kubectl('delete', 'deployments', '--all', '-n', namespace, '--timeout=60s');
  await eventually(`nothing that runs in ${namespace}`, async () => {
    await kubectl('delete', 'pods', '--all', '-n', namespace, '--grace-period=0', '--force', '--wait=false');
    return (await kubectl('get', 'replicasets,pods', '-n', namespace, '-o', 'name')) === '' ? true : undefined;
  });
}
