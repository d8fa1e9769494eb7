import { World } from './resolver/world';
import { describeClusterFaults } from './traffic/cluster-faults.cases';
import { describeCycles } from './traffic/cycles.cases';
import { describeDeparture } from './traffic/departure.cases';
import { Ledger } from './traffic/ledger';
import { describeProductFaults } from './traffic/product-faults.cases';
import { stock } from './traffic/stock';

/**
 * Open-loop traffic, on new connections and on kept ones, while targets sleep and wake and while parts of the product and of the cluster fail. No
 * request is sent twice, and each is accounted for; the table at the end says what became of them. Where STOP_API_SERVER and START_API_SERVER,
 * PAUSE_KUBELET and RESUME_KUBELET are not set, those faults go untested.
 */
const world = new World();
const ledger = new Ledger();

beforeAll(async () => {
  await world.open();
  await world.sleepers.lay(stock);
}, World.openingMs + 60_000);

afterAll(async () => {
  process.stdout.write(`\n${ledger.table()}\n`);
  await world.close();
}, World.closingMs);

describe('traffic on a cluster', () => {
  jest.setTimeout(180_000);

  describe('day and night', () => describeCycles(world, ledger));
  describe('departure', () => describeDeparture(world, ledger));
  describe('faults of the product', () => describeProductFaults(world, ledger));

  it('has brought no program of the product to its end until then', async () => {
    expect(await world.elasti.restarts()).toEqual([]);
  });

  describe('faults of the cluster', () => describeClusterFaults(world, ledger));

  it('has brought none to its end after that but operators that could not renew their lease', async () => {
    const restarts = await world.elasti.restarts();

    expect(restarts.filter(({ said }) => !said.includes('LeaseLostError'))).toEqual([]);
  });
});
