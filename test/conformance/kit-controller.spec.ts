import {
  ConfigMap,
  ControllerBuilder,
  ControllerManager,
  Event,
  NotFoundError,
  TerminalError,
  done,
  ensure,
  generationChanged,
  patchStatus,
  refOf,
  setControllerReference,
} from '@elasti/operator-kit';
import type { Frozen, KubeObject, ReconcileContext, ReconcileResult, Reconciler } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { eventually } from './eventually';
import { useServer } from './harness';
import { aCrd, kindOf } from './objects';

interface Greeting extends KubeObject {
  spec: { word: string; from?: string };
  status?: { seen?: string; observedGeneration?: number };
}

describe("the kit's controller", () => {
  const server = useServer();
  const Greeting = kindOf<Greeting>(server.group, 'Greeting');
  const greetings = server.of(Greeting);
  const configMaps = server.of(ConfigMap);
  const finalizer = `${server.group}/finalizer`;
  const reconciled: string[] = [];
  let cleanupFails = true;

  /** Writes the word of each Greeting, or of the ConfigMap that it names, into a ConfigMap of its own. */
  class GreetingReconciler implements Reconciler<Greeting> {
    async reconcile(greeting: Frozen<Greeting>, { client, cache, events, signal }: ReconcileContext): Promise<ReconcileResult> {
      const ref = refOf(greeting);
      reconciled.push(ref.name);
      if (greeting.spec.word === 'unspeakable') throw new TerminalError('no such word');

      const source = greeting.spec.from ? cache(ConfigMap).get({ ...ref, name: greeting.spec.from }) : undefined;
      const word = source?.data?.word ?? greeting.spec.word;
      const child: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...ref }, data: { word } };
      const outcome = await ensure(client, ConfigMap, setControllerReference(greeting, Greeting, child), {
        live: cache(ConfigMap).get(ref),
        fieldManager: 'greeter',
        signal,
      });
      if (outcome === 'applied') events.emit({ type: 'Normal', reason: 'Greeted', note: `said ${word}` });
      await patchStatus(client, Greeting, greeting, { seen: word, observedGeneration: greeting.metadata.generation }, { signal });
      return done;
    }

    async finalize(greeting: Frozen<Greeting>, { client, signal }: ReconcileContext): Promise<ReconcileResult> {
      if (greeting.metadata.name === 'stubborn' && cleanupFails) throw new Error('not now');
      await client.delete(ConfigMap, refOf(greeting as Greeting), { signal }).catch((error: unknown) => {
        if (!(error instanceof NotFoundError)) throw error;
      });
      return done;
    }
  }

  beforeAll(async () => {
    const text = { type: 'string' };
    const spec = { type: 'object', properties: { word: text, from: text } };
    const status = { type: 'object', properties: { seen: text, observedGeneration: { type: 'integer' } } };
    await server.installCrd(aCrd(server.group, 'Greeting', { spec, status }, { subresources: { status: {} } }));

    const manager = new ControllerManager({ client: server.newClient(), name: 'greeter', watchNamespaces: [server.namespace] });
    ControllerBuilder.for(Greeting)
      .withReconciler(new GreetingReconciler())
      .withPredicates(generationChanged)
      .owns(ConfigMap)
      .watches(ConfigMap, (source, cache) =>
        cache(Greeting)
          .list(source.metadata.namespace)
          .filter((greeting) => greeting.spec.from === source.metadata.name)
          .map((greeting) => refOf(greeting as Greeting)),
      )
      .withBackoff({ baseMs: 20 })
      .withConcurrency(4)
      .build(manager);
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    server.onStop(async () => {
      stop.abort();
      await running;
    });
  });

  const wordOf = async (name: string) => (await configMaps.read(name)).data?.word;
  const says = (name: string, word: string) => eventually(async () => expect(await wordOf(name)).toBe(word));
  const settled = (name: string, generation: number) =>
    eventually(async () => expect((await greetings.read(name)).status?.observedGeneration).toBe(generation));

  it('makes what an object asks for, with the object as its controller', async () => {
    const { metadata } = await greetings.given({ metadata: { name: 'made' }, spec: { word: 'hello' } });

    await says('made', 'hello');

    expect((await configMaps.read('made')).metadata.ownerReferences).toMatchObject([
      { kind: 'Greeting', name: 'made', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
    ]);
  });

  it('puts its finalizer on before the first effect', async () => {
    await greetings.given({ metadata: { name: 'held' }, spec: { word: 'hello' } });

    await says('held', 'hello');

    const [greeting, child] = [await greetings.read('held'), await configMaps.read('held')];
    expect(greeting.metadata.finalizers).toEqual([finalizer]);
    expect(child.metadata.creationTimestamp).toBeDefined();
  });

  it('follows a change of the spec and says in the status which generation it saw', async () => {
    await greetings.given({ metadata: { name: 'changed' }, spec: { word: 'hello' } });
    await settled('changed', 1);

    succeeded(await greetings.patch('changed', 'merge', { spec: { word: 'goodbye' } }));

    await settled('changed', 2);
    expect((await greetings.read('changed')).status?.seen).toBe('goodbye');
    expect(await wordOf('changed')).toBe('goodbye');
  });

  it('corrects what others did to the object that it owns', async () => {
    await greetings.given({ metadata: { name: 'drifted' }, spec: { word: 'hello' } });
    await says('drifted', 'hello');

    succeeded(await configMaps.patch('drifted', 'merge', { data: { word: 'rubbish' } }));

    await says('drifted', 'hello');
  });

  it('makes again what others deleted', async () => {
    await greetings.given({ metadata: { name: 'missing' }, spec: { word: 'hello' } });
    await says('missing', 'hello');
    const { metadata } = await configMaps.read('missing');

    await configMaps.delete('missing');

    await eventually(async () => expect((await configMaps.read('missing')).metadata.uid).not.toBe(metadata.uid));
  });

  it('reconciles the objects that a mapper names', async () => {
    await greetings.given({ metadata: { name: 'mapped' }, spec: { word: 'hello', from: 'source' } });
    await says('mapped', 'hello');

    await configMaps.given({ metadata: { name: 'source' }, data: { word: 'bonjour' } });

    await says('mapped', 'bonjour');
  });

  it('is not woken by its own status', async () => {
    await greetings.given({ metadata: { name: 'quiet' }, spec: { word: 'hello' } });
    await settled('quiet', 1);
    await greetings.given({ metadata: { name: 'loud' }, spec: { word: 'hello' } });
    await settled('loud', 1);
    // Its own ConfigMap wakes it too. Whoever heard of a change made after that has heard of it.
    succeeded(await configMaps.patch('loud', 'merge', { data: { word: 'rubbish' } }));
    await says('loud', 'hello');
    const before = reconciled.filter((name) => name === 'quiet').length;

    succeeded(await greetings.patch('quiet', 'merge', { status: { seen: 'something' } }, {}, 'status'));
    succeeded(await greetings.patch('loud', 'merge', { spec: { word: 'again' } }));
    await settled('loud', 2);

    expect(reconciled.filter((name) => name === 'quiet')).toHaveLength(before);
  });

  it('does not try again after a terminal error until the object changes', async () => {
    await greetings.given({ metadata: { name: 'terminal' }, spec: { word: 'unspeakable' } });
    await eventually(() => expect(reconciled).toContain('terminal'));

    succeeded(await greetings.patch('terminal', 'merge', { spec: { word: 'fine' } }));

    await says('terminal', 'fine');
  });

  it('cleans up before a deleted object goes', async () => {
    await greetings.given({ metadata: { name: 'deleted' }, spec: { word: 'hello' } });
    await says('deleted', 'hello');

    await greetings.delete('deleted');

    await eventually(async () => expect((await greetings.get('deleted')).code).toBe(404));
    expect((await configMaps.get('deleted')).code).toBe(404);
  });

  it('keeps a deleted object until its cleanup succeeds', async () => {
    await greetings.given({ metadata: { name: 'stubborn' }, spec: { word: 'hello' } });
    await says('stubborn', 'hello');

    await greetings.delete('stubborn');
    const held = await greetings.read('stubborn');
    cleanupFails = false;

    expect(held.metadata.finalizers).toEqual([finalizer]);
    await eventually(async () => expect((await greetings.get('stubborn')).code).toBe(404));
  });

  it('leaves the finalizers of others on', async () => {
    const other = 'conformance.example.com/other';
    await greetings.given({ metadata: { name: 'shared', finalizers: [other] }, spec: { word: 'hello' } });
    await says('shared', 'hello');

    await greetings.delete('shared');

    await eventually(async () => expect((await greetings.read('shared')).metadata.finalizers).toEqual([other]));
    await greetings.patch('shared', 'merge', { metadata: { finalizers: null } });
  });

  it('tells of what it did in events', async () => {
    await greetings.given({ metadata: { name: 'told' }, spec: { word: 'hello' } });

    await eventually(async () => {
      const { items } = succeeded(await server.of(Event).list({ fieldSelector: 'regarding.name=told,regarding.kind=Greeting' }));
      expect(items).toMatchObject([{ reason: 'Greeted', note: 'said hello', reportingController: 'greeter' }]);
    });
  });
});
