import { ResolverWorld } from '../fixtures/resolver-world/resolver-world';

jest.setTimeout(180_000);

describe('the resolver with the operator', () => {
  let world: ResolverWorld;

  beforeEach(async () => {
    world = await ResolverWorld.start();
    await world.startOperator();
    await world.startResolver();
  });

  afterEach(async () => {
    await world.stop();
  });

  it('holds a request for a sleeping service, has it woken, and gives the answer of its pod', async () => {
    await world.putToSleep('web');

    const answer = await fetch(`${await world.routeUrl('web')}/cart?id=1`);

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ port: 8080, method: 'GET', url: '/cart?id=1' });
    expect(await world.scaleOf('web')).toBe(1);
    await world.awake('web');
  });
});
