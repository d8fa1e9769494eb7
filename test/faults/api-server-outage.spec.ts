import { exec } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  ConfigMap,
  type Frozen,
  KitMetrics,
  KubeApiError,
  KubeClient,
  Namespace,
  SharedCache,
  silentLogger,
  systemClock,
  TransportError,
} from '@elasti/operator-kit';
import { eventually } from '../eventually';

/**
 * A real API server, stopped and started again under the kit for a minute. STOP_API_SERVER and START_API_SERVER are the shell commands
 * that do it to the cluster of KUBECONFIG.
 */
const { STOP_API_SERVER: stopCommand, START_API_SERVER: startCommand } = process.env;
if (!stopCommand || !startCommand)
  throw new Error('set STOP_API_SERVER and START_API_SERVER to the commands that stop and start the API server');

const shell = promisify(exec);
const namespace = `outage-${process.pid}`;
const rounds = 5;

describe('an API server that goes and comes back', () => {
  jest.setTimeout(180_000);

  let client: KubeClient;
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);

  beforeAll(async () => {
    process.on('unhandledRejection', onRejection);
    client = await KubeClient.fromKubeConfig();
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });

  afterAll(async () => {
    await client.delete(Namespace, { name: namespace });
    await client.close();
    process.off('unhandledRejection', onRejection);
  });

  it('leaves no cache stopped, misses no event and rejects nothing unheard', async () => {
    const caches = new SharedCache({ reader: client, clock: systemClock, logger: silentLogger, metrics: new KitMetrics() });
    const maps = caches.acquire(ConfigMap, { namespace });
    const told = new Map<string, Frozen<ConfigMap>>();
    maps.subscribe((event) => {
      const name = event.object.metadata.name ?? '';
      if (event.type === 'deleted') told.delete(name);
      else told.set(name, event.object);
    });
    await maps.synced(AbortSignal.timeout(30_000));
    const writing = new AbortController();
    const writer = writeUntil(writing.signal);

    for (let round = 0; round < rounds; round++) {
      await shell(stopCommand);
      await pause(4_000);
      await shell(startCommand);
      await eventually('an answer', () => client.list(ConfigMap, { namespace }));
      await pause(4_000);
    }
    writing.abort();
    const written = await writer;

    const versions = (objects: Iterable<Frozen<ConfigMap>>): string =>
      Array.from(objects, ({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
        .sort()
        .join('\n');
    const onServer = versions((await client.list(ConfigMap, { namespace })).items);
    await eventually('the cache and the server agree', () => Promise.resolve(versions(maps.list()) === onServer ? true : undefined));
    await eventually('the handler was told the same', () => Promise.resolve(versions(told.values()) === onServer ? true : undefined));
    expect(written).toBeGreaterThan(100);
    expect(caches.health().every(({ synced }) => synced)).toBe(true);
    expect(rejections).toEqual([]);
    maps.release();
    await caches.stop();
  });

  /** Creates, updates and deletes without pause; what an outage swallows is simply tried with the next object. */
  async function writeUntil(signal: AbortSignal): Promise<number> {
    let written = 0;
    for (let number = 0; !signal.aborted; number++) {
      const ref = { namespace, name: `map-${number % 50}` };
      try {
        const found = await client.find(ConfigMap, ref);
        if (!found)
          await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { number: String(number) } });
        else if (number % 7 === 0) await client.delete(ConfigMap, ref);
        else await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { number: String(number) } } });
        written += 1;
      } catch (error) {
        if (!(error instanceof TransportError || error instanceof KubeApiError)) throw error;
        await pause(20);
      }
    }
    return written;
  }
});
