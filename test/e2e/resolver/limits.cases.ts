import { eventually } from '../../eventually';
import type { HttpResult, Tally } from './caller';
import { sharedPort } from './sleepers';
import type { World } from './world';

/** Who is held, who is answered at once, and by whom. */
export function describeLimits(world: World): void {
  const get = (sleeper: string, port: 'http' | 'metrics', options: object = {}): Promise<HttpResult> =>
    world.caller.request(world.sleepers.addressOf(sleeper, port), { ...options });

  it('answers all of 200 requests that come to a sleeping service at once', async () => {
    await world.sleepers.asleep('burst', world.caller);

    const tally = await world.caller.call<Tally>({ kind: 'burst', count: 200, ...world.sleepers.addressOf('burst', 'http') });

    const pod = (await world.sleepers.podOf('burst')).metadata.name ?? '';
    expect(tally).toEqual({ sent: 200, statuses: { 200: 200 }, pods: { [pod]: 200 }, timed: 0, failures: [] });
  });

  it('wakes nobody for a port that does not wake, nor for a probe that it answers itself', async () => {
    for (const name of ['quiet', 'neighbour']) await world.sleepers.asleep(name, world.caller);
    const stamp = await world.sleepers.stampOf('quiet');

    const metrics = await get('quiet', 'metrics');
    const probe = await get('quiet', 'http', { path: '/healthz', headers: { host: 'anything.example' } });
    // A wake that began before goes the same way: by the time that a pod answers here, there would be one of the other.
    const neighbour = await get('neighbour', 'http');
    const [stampThen, replicas] = [await world.sleepers.stampOf('quiet'), await world.sleepers.replicasOf('quiet')];
    const pods = await world.sleepers.podsOf('quiet');
    const other = await get('quiet', 'http', { path: '/healthz/deep' });

    expect(metrics.status).toBe(503);
    expect(probe).toMatchObject({ status: 200, body: expect.stringMatching(/^dozing\n?$/) });
    expect(neighbour.status).toBe(200);
    expect({ stamp: stampThen, replicas, pods }).toEqual({ stamp, replicas: 0, pods: [] });
    expect(other.status).toBe(200);
    expect(other.trailers['x-pod']).toBe((await world.sleepers.podOf('quiet')).metadata.name);
  });

  it('finds a Service by its name on the shared port, holds the request, and dials no name that it does not know', async () => {
    await world.sleepers.asleep('shared', world.caller);
    const named = (host: string) => world.caller.request(sharedPort, { headers: { host } });

    const unknown = await Promise.all(['nobody.nowhere', `kubernetes.default.svc`, '127.0.0.1:8013', 'shared'].map(named));
    const known = await named(`shared.${world.sleepers.namespace}.svc.cluster.local`);

    expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(known.status).toBe(200);
    expect(known.trailers['x-pod']).toBe((await world.sleepers.podOf('shared')).metadata.name);
  });

  it('shows a browser the page that waits, which wakes the target, and holds everyone else', async () => {
    await world.sleepers.asleep('page', world.caller);

    const browser = await get('page', 'http', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    await world.sleepers.podOf('page');
    const script = await get('page', 'http', { headers: { accept: 'application/json' } });

    expect(browser).toMatchObject({ status: 503, headers: { 'content-type': expect.stringContaining('text/html') } });
    expect(browser.body).toContain('http-equiv="refresh"');
    expect(script.status).toBe(200);
  });

  it('gives up on a pod that is never ready after the time that its ElastiService allows, and says what it waited for', async () => {
    await world.sleepers.asleep('late', world.caller);

    const answer = await get('late', 'http');

    expect(answer.status).toBe(504);
    expect(answer.body).toContain('late');
  });

  it.each([
    ['IPv4', 'dual', (ip: string) => !ip.includes(':'), (ip: string) => ip],
    ['IPv6', 'dual-six', (ip: string) => ip.includes(':'), (ip: string) => `[${ip}]`],
  ])('holds requests that come over %s to a Service of both families', async (family, name, isOfFamily, asHost) => {
    await world.sleepers.asleep(name, world.caller);
    const { spec } = await world.sleepers.service(name);
    const host = spec?.clusterIPs?.find(isOfFamily) ?? '';
    // The two families come to the data plane on ways of their own.
    await eventually(`resolvers over ${family}`, async () =>
      (await world.caller.request({ host, port: 9100 })).status === 503 ? true : undefined,
    );

    const answer = await world.caller.request({ host, port: 80 });

    expect(spec?.clusterIPs).toHaveLength(2);
    expect(answer).toMatchObject({ status: 200 });
    expect(JSON.parse(answer.body)).toMatchObject({ host: asHost(host) });
  });
}
