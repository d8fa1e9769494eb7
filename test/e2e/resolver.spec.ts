import { callsOf, itWithAuditLog } from './operator/audit-log';
import { describeHttp } from './resolver/http.cases';
import { permissionsIn, refusedBy, unusedPermissions } from './permissions';
import { installed, manifestOf, resolverName } from './resolver/installation';
import { describeLimits } from './resolver/limits.cases';
import { describeProtocols } from './resolver/protocol.cases';
import { stock } from './resolver/stock';
import { describeUpheaval } from './resolver/upheaval.cases';
import { World } from './resolver/world';

/**
 * The whole product on a real cluster: operators and resolvers from the synthesized manifests, targets that begin at zero replicas, and a client in the
 * cluster that never repeats a request. The cluster must have the images that OPERATOR_IMAGE and RESOLVER_IMAGE (at synth) and ECHO_IMAGE name.
 */
const world = new World();

beforeAll(async () => {
  await world.open();
  await world.sleepers.lay(stock);
}, World.openingMs + 60_000);

afterAll(() => world.close(), World.closingMs);

describe('the resolver on a cluster', () => {
  jest.setTimeout(120_000);

  describeHttp(world);
  describeProtocols(world);
  describeLimits(world);

  it('has brought no program of the product to its end until then', async () => {
    expect(await world.elasti.restarts()).toEqual([]);
  });

  describeUpheaval(world);

  it('lets only resolvers ask for a wake, by their token', async () => {
    const url = { host: `elasti-operator-controller-service.${installed}.svc`, port: 8013 };
    const body = JSON.stringify({ count: 1, svc: 'get', namespace: world.sleepers.namespace });
    const headers = { 'content-type': 'application/json' };

    const stranger = await world.caller.request(url, { method: 'POST', path: '/informer/incoming-request', headers, body });
    const metrics = await Promise.all((await world.elasti.resolvers()).map((resolver) => world.askResolver(resolver, '/metrics')));

    expect(stranger.status).toBe(401);
    expect(metrics.map(({ body: text }) => text).join('\n')).toMatch(
      /elasti_resolver_operator_rpc_count\{[^}]*error="success"[^}]*\} [1-9]/,
    );
  });

  itWithAuditLog('was never refused anything by the API server, and has no permission that it does not use', async () => {
    const calls = await callsOf(`system:serviceaccount:${installed}:${resolverName}`, world.began);

    expect(refusedBy(calls)).toEqual([]);
    expect(unusedPermissions(permissionsIn(manifestOf(resolverName)), calls, installed)).toEqual([]);
  });

  it('made no error of any of that', async () => {
    expect(await world.elasti.logs()).not.toMatch(/ForbiddenError|"level":"error"/);
  });

  it('has brought none to its end after that but operators that could not renew their lease while the API server was away', async () => {
    const restarts = await world.elasti.restarts();

    expect(restarts.filter(({ said }) => !said.includes('LeaseLostError'))).toEqual([]);
  });
});
