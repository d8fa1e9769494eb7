import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from '../../eventually';
import { kubectl } from '../kubectl';
import type { HttpResult, Tally } from './caller';
import { sharedPort } from './sleepers';
import type { World } from './world';

const shell = promisify(exec);
const { STOP_API_SERVER: stopCommand, START_API_SERVER: startCommand } = process.env;

/** What is lost when parts of the product and of the cluster come and go: nothing. */
export function describeUpheaval(world: World): void {
  const everyRequest = ({ sent }: Tally) => ({ sent, statuses: { 200: sent }, failures: [] });

  it('answers what a resolver holds that has been told to go, and takes more until its address is forgotten', async () => {
    const { sleepers, caller, elasti } = world;
    await sleepers.asleep('drained', caller);
    const resolvers = await elasti.resolvers();
    const leaving = resolvers[0];
    if (!leaving) throw new Error('no resolver');

    const early = await caller.begin<Tally>({ kind: 'burst', count: 40, ...sleepers.addressOf('drained', 'http') });
    const [heldByLeaving] = await world.untilOpen('drained', 40, resolvers);
    await elasti.dismiss(leaving);
    const late = await caller.begin<Tally>({ kind: 'traffic', everyMs: 20, ...sleepers.addressOf('drained', 'http') });
    await late.seen(10);
    await sleepers.letStart('drained', caller);
    await sleepers.awake('drained');
    const tallies = [await early.result(), await late.stop()];

    expect(heldByLeaving).toBeGreaterThan(0);
    for (const tally of tallies) expect(tally).toMatchObject(everyRequest(tally));
    await elasti.gone(leaving);
  });

  it('loses nothing, neither held nor passing, when every resolver is replaced', async () => {
    const { sleepers, caller, elasti } = world;
    await sleepers.asleep('rolled', caller);
    await sleepers.roused('get', caller);
    const host = `get.${sleepers.namespace}`;

    const held = await caller.begin<Tally>({ kind: 'traffic', everyMs: 100, ...sleepers.addressOf('rolled', 'http') });
    const passing = await caller.begin<Tally>({ kind: 'traffic', everyMs: 20, ...sharedPort, headers: { host } });
    await held.seen(1);
    const before = await elasti.resolvers();
    await elasti.rollResolvers();
    await sleepers.letStart('rolled', caller);
    await sleepers.awake('rolled');
    for (const resolver of before) await elasti.gone(resolver);
    const tallies = [await held.stop(), await passing.stop()];

    for (const tally of tallies) expect(tally).toMatchObject(everyRequest(tally));
    const after = (await elasti.resolvers()).map(({ name }) => name);
    expect(before.filter(({ name }) => after.includes(name))).toEqual([]);
  });

  it('holds a request that comes while there is no operator until one is back', async () => {
    const { sleepers, caller, elasti } = world;
    await sleepers.asleep('orphan', caller);
    await elasti.scaleOperator(0);

    const call = await caller.begin<HttpResult>({ kind: 'request', ...sleepers.addressOf('orphan', 'http') });
    await eventually('a wake call that failed', async () => {
      const texts = await Promise.all((await elasti.resolvers()).map((resolver) => world.askResolver(resolver, '/metrics')));
      return texts.some(({ body }) => /elasti_resolver_operator_rpc_count\{[^}]*error="(?!success)[^}]*\} [1-9]/.test(body))
        ? true
        : undefined;
    });
    const replicasThen = await sleepers.replicasOf('orphan');
    await elasti.scaleOperator(2);

    expect(replicasThen).toBe(0);
    expect((await call.result()).status).toBe(200);
  });

  it('loses nothing while a target that minds its manners falls asleep and is woken, time and again', async () => {
    const { sleepers, caller } = world;
    const call = () => caller.request(sleepers.addressOf('cycle', 'http'));

    const answers: HttpResult[] = [];
    for (let night = 1; night <= 2; night++) {
      await sleepers.asleep('cycle', caller);
      answers.push(...(await Promise.all(Array.from({ length: 20 }, call))));
      await sleepers.awake('cycle');
    }

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ trailers }) => trailers['x-pod'])).size).toBe(2);
  });

  it('loses nothing while resolvers join an awake Service to see whether anybody comes, and leave it again', async () => {
    const { sleepers, caller } = world;
    const here = (wanted: boolean) => async () => ((await sleepers.hasResolvers('cycle')) === wanted ? true : undefined);

    const headers = { 'x-elasti-timing': '1' };
    const traffic = await caller.begin<Tally>({ kind: 'traffic', everyMs: 20, ...sleepers.addressOf('cycle', 'http'), headers });
    await eventually('resolvers that join', here(true));
    await eventually('resolvers that leave', here(false));
    const tally = await traffic.stop();

    expect(tally).toMatchObject(everyRequest(tally));
    expect(tally.timed).toBeGreaterThan(0);
    expect(tally.timed).toBeLessThan(tally.sent);
  });

  it('loses nothing when a hand takes the last pod away under traffic', async () => {
    const { sleepers, caller } = world;
    await sleepers.roused('cycle', caller);
    await sleepers.stayAwakeNextTime('cycle');
    const traffic = await caller.begin<Tally>({ kind: 'traffic', everyMs: 20, ...sleepers.addressOf('cycle', 'http') });
    await traffic.seen(3);
    const pod = (await sleepers.podOf('cycle')).metadata.name ?? '';

    await kubectl('scale', 'deployment/cycle', '-n', sleepers.namespace, '--replicas=0');
    await eventually('another pod', async () => {
      const pods = await sleepers.podsOf('cycle');
      return pods.some(({ metadata }) => metadata.name !== pod) ? true : undefined;
    });
    // What is sent from then on is another pod's to answer.
    await sleepers.noneLeaving('cycle');
    await traffic.seen((await traffic.events()).length + 2);
    await sleepers.awake('cycle');
    const tally = await traffic.stop();

    expect(tally).toMatchObject(everyRequest(tally));
    expect(Object.keys(tally.pods).length).toBeGreaterThan(1);
  });

  const whereItCanBeStopped = stopCommand && startCommand ? it : it.skip;
  whereItCanBeStopped('goes on forwarding while the API server is away', async () => {
    const { sleepers, caller, elasti } = world;
    await sleepers.roused('outage', caller);
    const host = (await elasti.resolver()).ip;
    const port = await sleepers.routeOf('outage', 'http');

    const traffic = await caller.begin<Tally>({ kind: 'traffic', everyMs: 50, host, port });
    const before = (await traffic.seen(1)).length;
    await shell(stopCommand ?? '');
    try {
      // Nobody can be asked meanwhile: that it is away is seen from here.
      await eventually('an API server that does not answer', async () =>
        kubectl('get', '--raw', '/readyz', '--request-timeout=2s').then(
          () => undefined,
          () => true,
        ),
      );
      await untilRefused(5);
    } finally {
      await shell(startCommand ?? '');
    }
    await eventually('the API server', () => kubectl('get', '--raw', '/readyz').catch(() => undefined));
    const tally = await eventually('the tally', () => traffic.stop().catch(() => undefined));

    expect(tally).toMatchObject(everyRequest(tally));
    expect(tally.sent).toBeGreaterThan(before);
  });

  /** So long that every watch has been cut and tried again. */
  async function untilRefused(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      await expect(kubectl('get', '--raw', '/readyz', '--request-timeout=1s')).rejects.toThrow();
    }
  }
}
