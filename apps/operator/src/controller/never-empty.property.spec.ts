import * as fc from 'fast-check';
import { type Happening, type Step, TrafficWorld } from './traffic-world.fixture';

const which = fc.constantFrom<0 | 1 | 2>(0, 1, 2);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ happens: fc.constantFrom('pods become ready', 'pods fail', 'the watch shows the slices') }),
  fc.record({ happens: fc.constant('scaled by hand'), replicas: fc.constantFrom(0, 0, 1, 3) }),
  fc.record({ happens: fc.constant('asked for'), at: fc.constantFrom('leader', 'other') }),
  fc.record({ happens: fc.constantFrom('a resolver comes', 'a resolver drains', 'a resolver leaves'), which }),
);
const reconcile: fc.Arbitrary<Step> = fc.record(
  {
    happens: fc.constant('reconcile'),
    lagging: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.uniqueArray(fc.nat(8), { maxLength: 9 })),
    unable: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.uniqueArray(fc.nat(2), { maxLength: 3 })),
    dies: fc.record({ atCall: fc.integer({ min: 1, max: 9 }), when: fc.constantFrom('before', 'after') }),
    meanwhile: fc.record({ atCall: fc.integer({ min: 1, max: 9 }), event: happening }),
  },
  { requiredKeys: ['happens', 'lagging', 'unable'] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: reconcile },
  { weight: 3, arbitrary: happening },
  { weight: 2, arbitrary: fc.record({ happens: fc.constant('time passes'), ms: fc.constantFrom(1_000, 6_000, 1_000_000) }) },
  { weight: 2, arbitrary: fc.record({ happens: fc.constantFrom('found idle', 'found busy') }) },
  { weight: 1, arbitrary: fc.record({ happens: fc.constantFrom('the other leads', 'the leader starts anew') }) },
);

const wait: Step = { happens: 'time passes', ms: 6_000 };
const ready: Step = { happens: 'pods become ready' };
const calm = fc.constant<Step>({ happens: 'reconcile', lagging: [], unable: [] });
const look = fc.oneof({ weight: 3, arbitrary: calm }, { weight: 2, arbitrary: reconcile });
/** What it takes to get anywhere, with something else at some turns. */
const course: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 3, arbitrary: fc.array(step, { minLength: 1, maxLength: 4 }) },
  fc.tuple(look, look).map(([first, then]): Step[] => [{ happens: 'scaled by hand', replicas: 0 }, first, then]),
  fc
    .tuple(fc.constantFrom<Step>({ happens: 'scaled by hand', replicas: 1 }, { happens: 'asked for', at: 'other' }), look, look)
    .map(([up, first, then]): Step[] => [up, ready, first, wait, then]),
  fc
    .tuple(look, look, look)
    .map((looks): Step[] => [{ happens: 'time passes', ms: 1_000_000 }, { happens: 'found idle' }, ...looks.flatMap((one) => [one, wait])]),
);
const history = fc.array(course, { maxLength: 12 }).map((courses) => courses.flat());

async function play(steps: readonly Step[]): Promise<TrafficWorld> {
  const world = new TrafficWorld();
  await world.begin();
  for (const each of steps) await world.take(each);
  return world;
}

jest.setTimeout(60_000);
/** One history that does not end is shown with its steps. */
const timeout = 20_000;

describe('the traffic of a Service', () => {
  it('is always answered: at every step of any history, pods or resolvers are in the Service', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const { gaps } = await play(steps);

        expect(gaps[0]).toBeUndefined();
      }),
      { numRuns: 120, timeout, endOnFailure: true },
    );
  });

  it('ends where it belongs, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const world = await play(steps);

        await world.calmDown();

        const roles = world.named().map(({ metadata }) => metadata.labels?.['elasti.truefoundry.com/slice-role']);
        expect({ gaps: world.gaps, roles }).toEqual({ gaps: [], roles: [world.scale === 0 ? 'proxy' : 'standby'] });
        expect(world.leader.elastiService().status?.mode).toBe(world.scale === 0 ? 'proxy' : 'serve');
      }),
      { numRuns: 40, timeout, endOnFailure: true },
    );
  });
});
