import { ConfigMap, CustomResourceDefinition } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, kindOf } from './objects';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('watches at their edges', () => {
  const server = useServer();
  const maps = server.of(ConfigMap);
  const crds = server.docs(CustomResourceDefinition);

  it('are silent about changes up to the version they were asked to begin after', async () => {
    const { metadata } = await maps.given({ metadata: { name: 'now' } });
    const future = await maps.watch({ resourceVersion: Number(metadata.resourceVersion) + 1_000_000 });
    const present = await maps.watch({ resourceVersion: metadata.resourceVersion });

    await maps.given({ metadata: { name: 'soon' } });
    await present.seen('ADDED', 'soon');

    expect(future.events).toEqual([]);
  });

  it('end a streamed list with no bookmark for those who want none', async () => {
    await maps.given({ metadata: { name: 'streamed', labels: { streamed: 'yes' } } });
    const watch = await maps.watch({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', labelSelector: 'streamed=yes' });

    await watch.seen('ADDED', 'streamed');
    await maps.patch('streamed', 'merge', { data: { a: '1' } });
    await watch.seen('MODIFIED', 'streamed');

    expect(watch.events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED']);
  });

  it('may last for longer than a timer can be set', async () => {
    const { metadata } = await maps.given({ metadata: { name: 'patient' } });
    const watch = await maps.watch({ resourceVersion: metadata.resourceVersion, timeoutSeconds: 3_000_000 });

    await maps.delete('patient');

    await watch.seen('DELETED', 'patient');
  });

  it.each(['Changed', 'Removed'])('end when the definition of what they watch is %s', async (kind) => {
    const name = `${kind.toLowerCase()}s.${server.group}`;
    const resources = server.of(kindOf(server.group, kind));
    await server.installCrd(aCrd(server.group, kind, { spec: anything }));
    const { metadata } = succeeded(await resources.list());
    const watch = await resources.watch({ resourceVersion: metadata.resourceVersion });

    if (kind === 'Removed') await crds.delete(name);
    else await crds.patch(name, 'merge', { spec: { names: { shortNames: ['short'] } } });

    await watch.end();
  });

  it('are refused, and lists too, with a time limit that is no number', async () => {
    const answers = [await maps.list({ timeoutSeconds: 'long' }), await maps.list({ timeoutSeconds: 'long', watch: true })];

    expect(answers.map(({ code, status }) => [code, status.reason])).toEqual([
      [400, 'BadRequest'],
      [400, 'BadRequest'],
    ]);
  });
});
