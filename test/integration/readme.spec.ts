import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeSim } from '@elasti/kube-sim';
import { ConfigMap, CustomResourceDefinition, KubeClient } from '@elasti/operator-kit';
import { eventually } from '../eventually';
import { Greeting, greeter } from '../fixtures/greeting-operator';

const root = join(__dirname, '../..');

describe("the README's operator", () => {
  it('is the one that is tested here', () => {
    const code = readFileSync(join(root, 'test/fixtures/greeting-operator.ts'), 'utf8');

    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`\`\`\`ts\n${code}\`\`\``);
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(30);
  });

  it('greets, and greets again when someone changes its words', async () => {
    const sim = await KubeSim.start();
    const client = KubeClient.forServer({ server: sim.url });
    const stop = new AbortController();
    const ref = { namespace: 'default', name: 'world' };
    const greeting = () =>
      eventually('a greeting', async () => {
        const found = await client.find(ConfigMap, ref);
        return found?.data?.text === 'Hello, world!' ? found : undefined;
      });
    await client.create(CustomResourceDefinition, Greeting.crd());
    const running = greeter(client).start(stop.signal);

    await client.create(Greeting, Greeting.create('world', { name: 'world' }, { namespace: 'default' }));
    await greeting();
    await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { text: 'rude words' } } });
    await greeting();

    stop.abort();
    await running;
    await client.close();
    await sim.stop();
  });
});
