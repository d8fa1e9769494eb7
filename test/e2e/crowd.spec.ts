import { Deployment } from '@elasti/operator-kit';
import { Crowd } from './crowd/crowd';
import { openWatches, quietCalls } from './crowd/quiet';
import { itWithAuditLog } from './operator/audit-log';
import { operatorName } from './resolver/installation';
import { World } from './resolver/world';

/**
 * A thousand sleeping services (CROWD_SIZE), and many woken at once. The cluster must have room for WOKEN_AT_ONCE further pods (150) on its nodes.
 * Where READ_AUDIT_LOG is not set, what Elasti asks of the API server goes untested.
 */
const world = new World();
const size = Number(process.env.CROWD_SIZE ?? 1000);
const wokenAtOnce = Number(process.env.WOKEN_AT_ONCE ?? 150);
const patience = (ms: number) => AbortSignal.timeout(ms);

let crowd: Crowd;

interface Answer {
  readonly host: string;
  readonly status?: number;
  readonly body?: string;
  readonly error?: string;
}

beforeAll(async () => {
  await world.open();
  crowd = await Crowd.open(world.client, `crowd-${Date.now().toString(36)}`);
  world.beforeClosing(() => crowd.close());
  await crowd.growTo(1);
  await crowd.asleep(patience(60_000));
}, World.openingMs + 90_000);

afterAll(() => world.close(), World.closingMs + Crowd.leavingMs);

describe(`${size} sleeping services`, () => {
  jest.setTimeout(500_000);
  let watchesOfOne: string[];

  itWithAuditLog('are watched with as many watches as one', async () => {
    watchesOfOne = await openWatches(world.began);

    await crowd.growTo(size);
    await crowd.asleep(patience(400_000));

    expect(watchesOfOne.length).toBeGreaterThan(0);
    expect(await openWatches(world.began)).toEqual(watchesOfOne);
  });

  itWithAuditLog('cost the API server nothing but the lease of the leader while nothing happens', async () => {
    // Kubernetes itself is still busy with a thousand new Services for a while.
    const { others, watches } = await quietCalls(world.client, 20, patience(400_000));

    expect(others).toEqual([]);
    // The client ends each after five to ten minutes, at random, and begins it anew: of all of them fewer than a fifth in forty seconds.
    expect(watches.length).toBeLessThanOrEqual((await openWatches(world.began)).length / 2);
  });

  it(`lose none of the requests that come to ${wokenAtOnce} of them at once`, async () => {
    await crowd.growTo(size);
    await crowd.asleep(patience(400_000));
    const step = Math.floor(size / wokenAtOnce);
    const asked = Array.from({ length: wokenAtOnce }, (_, position) => crowd.names[position * step] ?? '');

    const hosts = asked.map((name) => crowd.hostOf(name));
    const answers = await world.caller.call<Answer[]>({ kind: 'each', hosts, port: 80, patienceMs: 240_000 });

    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(wokenAtOnce);
    const { items } = await world.client.list(Deployment, { namespace: crowd.namespace });
    const awake = items.filter(({ spec }) => (spec?.replicas ?? 0) > 0).map(({ metadata }) => metadata.name ?? '');
    expect(awake.sort()).toEqual([...asked].sort());
    expect(await world.elasti.logs(operatorName)).not.toMatch(/"level":"error"/);
  });

  it('have brought no program of the product to its end', async () => {
    expect(await world.elasti.restarts()).toEqual([]);
  });
});
