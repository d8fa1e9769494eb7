import type { Pod } from '@elasti/operator-kit';
import { getObject, kubectl } from './kubectl';

/** Everything that the pods with a label have logged. Who goes meanwhile takes its log along; a log that cannot be read for another reason is an error. */
export async function logsOf(namespace: string, labelSelector: string): Promise<string> {
  return (await Promise.all((await podsIn(namespace, '-l', labelSelector)).map(logOf))).join('');
}

/** A container that ended, and was started again. */
export interface Restart {
  readonly pod: string;
  readonly times: number;
  /** Its last end. */
  readonly ended: string;
  /** All that it logged until then. */
  readonly said: string;
}

/** Those of the pods that are there; a pod that was deleted and replaced is no restart. */
export async function restartsIn(namespace: string): Promise<Restart[]> {
  return (await Promise.all((await podsIn(namespace)).map(restartsOf))).flat();
}

async function restartsOf({ metadata: { name = '', namespace = '' }, status }: Pod): Promise<Restart[]> {
  const restarted = (status?.containerStatuses ?? []).filter(({ restartCount }) => restartCount > 0);
  return Promise.all(
    restarted.map(async (container) => {
      const said = await kubectl('logs', name, '-n', namespace, '-c', container.name, '--previous').catch(String);
      return { pod: name, times: container.restartCount, ended: JSON.stringify(container.lastState?.terminated), said };
    }),
  );
}

async function podsIn(namespace: string, ...selection: string[]): Promise<Pod[]> {
  return (await getObject<{ items: Pod[] }>('pods', '-n', namespace, ...selection))?.items ?? [];
}

async function logOf({ metadata: { name = '', namespace = '', uid } }: Pod): Promise<string> {
  try {
    return await kubectl('logs', name, '-n', namespace);
  } catch (error) {
    const found = await getObject<Pod>('pod', name, '-n', namespace);
    if (found?.metadata.uid === uid) throw error;
    return '';
  }
}
