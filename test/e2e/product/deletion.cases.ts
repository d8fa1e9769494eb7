import { eventually } from '../../eventually';
import { getObject, kubectl } from '../kubectl';
import { operatorName } from '../resolver/installation';
import type { SleeperOptions } from '../resolver/sleepers';
import type { World } from '../resolver/world';
import { Doomed, ordersOf, type Part } from './doomed';

const parts: readonly Part[] = ['target', 'service', 'elastiservice'];

/** Asleep, and to be deleted and made again. */
export const returningStock: Readonly<Record<string, SleeperOptions>> = { 'new-service': {}, 'new-target': {}, 'new-elastiservice': {} };

/** Nothing stays behind, and nothing hangs, whatever goes first. */
export function describeDeletion(world: World): void {
  const run = Date.now().toString(36);

  async function lay(orders: readonly (readonly Part[])[], replicas: 0 | 1): Promise<{ doomed: Doomed; order: readonly Part[] }[]> {
    const all = orders.map((order) => {
      const initials = order.map(([initial]) => initial).join('');
      return { doomed: new Doomed(world.client, `doomed-${initials}-${replicas}-${run}`, replicas), order };
    });
    await Promise.all(all.map(({ doomed }) => doomed.lay()));
    await Promise.all(all.map(({ doomed }) => doomed.settled()));
    return all;
  }

  async function expectForgotten(namespaces: readonly string[]): Promise<void> {
    await eventually('all forgotten', async () => {
      const operators = await world.elasti.operators();
      const texts = await Promise.all(operators.map(({ ip: host }) => world.caller.request({ host, port: 8013 }, { path: '/metrics' })));
      const modes = texts.flatMap(({ body }) => body.split('\n')).filter((line) => line.startsWith('elasti_operator_mode{'));
      expect(texts.map(({ status }) => status)).toEqual([200, 200]);
      expect(modes.length).toBeGreaterThan(0);
      expect(namespaces.filter((namespace) => modes.some((line) => line.includes(namespace)))).toEqual([]);
      return true;
    });
  }

  it.each([
    ['asleep', 0],
    ['awake', 1],
  ] as const)(
    'leaves nothing behind when target, Service and ElastiService are deleted in any order while it is %s',
    async (_, replicas) => {
      const all = await lay(ordersOf(parts), replicas);

      await Promise.all(all.map(({ doomed, order }) => doomed.goes(order)));
      const left = await Promise.all(all.map(({ doomed }) => doomed.ours()));
      await Promise.all(all.map(({ doomed }) => doomed.goes(['namespace'])));
      await Promise.all(all.map(({ doomed }) => doomed.gone()));

      expect(left).toEqual(all.map(() => []));
      await expectForgotten(all.map(({ doomed }) => doomed.namespace));
    },
  );

  it('lets a namespace go that is deleted before, between or after the others', async () => {
    const withNamespaceEarlier = ordersOf([...parts, 'namespace'] as const).filter((order) => order.at(-1) !== 'namespace');
    // Of those awake one will do: what differs is only that pods have to go with it.
    const all = (await Promise.all([lay(withNamespaceEarlier, 0), lay([['namespace', ...parts]], 1)])).flat();

    await Promise.all(all.map(({ doomed, order }) => doomed.goes(order)));
    await Promise.all(all.map(({ doomed }) => doomed.gone()));

    expect(all).toHaveLength(19);
    await expectForgotten(all.map(({ doomed }) => doomed.namespace));
  });

  it.each([
    ['Service', 'service', 'new-service'],
    ['target', 'deployment', 'new-target'],
    ['ElastiService', 'elastiservice', 'new-elastiservice'],
  ])('takes up a sleeping service again whose %s was deleted and made anew', async (_, kind, name) => {
    const { sleepers, caller } = world;
    await sleepers.asleep(name, caller);
    const before = await getObject<{ metadata: { uid: string } }>(kind, name, '-n', sleepers.namespace);

    await kubectl('delete', kind, name, '-n', sleepers.namespace, '--timeout=60s');
    await sleepers.lay({ [name]: {} });
    await sleepers.asleep(name, caller);
    const answer = await caller.request(sleepers.addressOf(name, 'http'));

    const after = await getObject<{ metadata: { uid: string } }>(kind, name, '-n', sleepers.namespace);
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(answer).toMatchObject({ status: 200, trailers: { 'x-pod': (await sleepers.podOf(name)).metadata.name } });
  });

  it('made no error of any of that', async () => {
    expect(await world.elasti.logs(operatorName)).not.toMatch(/"level":"error"/);
  });
}
