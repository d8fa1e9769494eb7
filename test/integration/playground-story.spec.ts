import { ask, protocols } from '../fixtures/story-world/clients';
import { StoryWorld, type TriggerType } from '../fixtures/story-world/story-world';

jest.setTimeout(180_000);

const tell = (trigger: TriggerType) => protocols.map((protocol) => ({ trigger, protocol, name: `${protocol}-${trigger}` }));

describe.each([
  { network: 'addresses', stories: [...tell('prometheus'), ...tell('traffic')] },
  // As on macOS, which has one loopback address only.
  { network: 'ports', stories: tell('traffic') },
] as const)(
  'The whole story, by the programs of the cluster on the simulator, with pods that have $network of their own',
  ({ network, stories }) => {
    let world: StoryWorld;

    beforeAll(async () => {
      world = await StoryWorld.start(network);
      for (const { name, protocol, trigger } of stories) await world.deploy(name, protocol, trigger);
      // Others may have the ports for minutes.
    }, 600_000);

    afterAll(() => world.stop());

    it.each(stories)(
      'asleep, a request held, woken, answered, idle, asleep: over $protocol, by the $trigger trigger',
      async ({ name, protocol }) => {
        await world.asleep(name);

        world.gate.close();
        const answer = ask[protocol](world.addressOf(name), 'morning');
        await world.held(name);
        world.gate.open();

        expect(await answer).toContain('morning');
        expect(await answer).toContain(name);
        await world.asleep(name);
      },
    );
  },
);
