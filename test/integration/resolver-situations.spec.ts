import { Pod, type Protocol, SituationsWorld, type SleepyService, type Talk } from './resolver-situations.fixture';
import { eventsByUndici, h2cUpgradeByCurl, http1ByCurl, http1ByUndici, webSocketByWs } from './resolver-situations-http.fixture';
import {
  grpcBidiStreaming,
  grpcClientStreaming,
  grpcServerStreaming,
  grpcUnary,
  h2cByNode,
  tcpClientFirst,
  tcpServerFirst,
  tlsPassThrough,
} from './resolver-situations-streams.fixture';
import { Scene, until } from './resolver-http1.fixture';

interface Row {
  readonly protocol: Protocol;
  /** What passes at once while it is awake. */
  readonly passes: 'parts of the answer' | 'events' | 'messages both ways' | 'one answer';
  /** What its client sees of a pod that dies before it has answered: nothing where it may be repeated, else this error. */
  readonly diedBefore: 'nothing' | RegExp;
  /** What it sees of one that dies after that; nothing of it looks like a proper end. */
  readonly diedAmid: RegExp;
}

// Every protocol in its four situations: asleep, waking, awake, and with a pod that dies.
const rows: readonly Row[] = [
  { protocol: http1ByUndici, passes: 'parts of the answer', diedBefore: 'nothing', diedAmid: /^UND_ERR_SOCKET$|^ECONNRESET$/ },
  { protocol: http1ByCurl, passes: 'parts of the answer', diedBefore: 'nothing', diedAmid: /^curl [1-9]/ },
  { protocol: webSocketByWs, passes: 'messages both ways', diedBefore: 'nothing', diedAmid: /^closed with 1006$/ },
  { protocol: eventsByUndici, passes: 'events', diedBefore: 'nothing', diedAmid: /^UND_ERR_SOCKET$|^ECONNRESET$/ },
  { protocol: h2cByNode, passes: 'messages both ways', diedBefore: 'nothing', diedAmid: /^reset with 2$/ },
  { protocol: h2cUpgradeByCurl, passes: 'parts of the answer', diedBefore: 'nothing', diedAmid: /^curl [1-9]/ },
  { protocol: grpcUnary, passes: 'one answer', diedBefore: /^UNAVAILABLE$/, diedAmid: /^UNAVAILABLE$/ },
  { protocol: grpcServerStreaming, passes: 'events', diedBefore: /^UNAVAILABLE$/, diedAmid: /^UNAVAILABLE$/ },
  { protocol: grpcClientStreaming, passes: 'one answer', diedBefore: /^UNAVAILABLE$/, diedAmid: /^UNAVAILABLE$/ },
  { protocol: grpcBidiStreaming, passes: 'messages both ways', diedBefore: /^UNAVAILABLE$/, diedAmid: /^UNAVAILABLE$/ },
  { protocol: tcpClientFirst, passes: 'messages both ways', diedBefore: /^ECONNRESET$/, diedAmid: /^ECONNRESET$/ },
  { protocol: tcpServerFirst, passes: 'messages both ways', diedBefore: 'nothing', diedAmid: /^ECONNRESET$/ },
  { protocol: tlsPassThrough, passes: 'messages both ways', diedBefore: /^ECONNRESET$/, diedAmid: /^ECONNRESET$/ },
];

const situations = ['asleep', 'waking', 'awake', 'died-before', 'died-amid'] as const;
type Situation = (typeof situations)[number];
/** Each case has a service of its own, so that none finds what another left. */
const serviceOf = (wanted: Protocol, situation: Situation): string =>
  `${situation}-${rows.findIndex(({ protocol }) => protocol === wanted)}`;

let world: SituationsWorld;
beforeAll(async () => {
  const services = rows.flatMap(({ protocol }) =>
    situations.map((situation) => ({ service: serviceOf(protocol, situation), speaksFirst: protocol.speaksFirst })),
  );
  world = await SituationsWorld.start(services);
}, 30_000);
afterAll(() => world.stop());

const scene = new Scene();
afterEach(() => scene.stop());

interface Setting {
  readonly service: SleepyService;
  readonly begin: () => Promise<Talk>;
  readonly pod: (name: string, isDoomed?: () => boolean) => Pod;
}

function setup(protocol: Protocol, situation: Situation): Setting {
  const service = world.services.get(serviceOf(protocol, situation));
  if (!service) throw new Error('no such service');
  return {
    service,
    begin: async () => scene.add(await protocol.begin(service.at)),
    pod: (name, isDoomed) => scene.add(new Pod(name, world.nextAddress(), protocol.program, isDoomed)),
  };
}

/** True for the first who asks. */
function onlyOnce(): () => boolean {
  let isFirst = true;
  return () => {
    const was = isFirst;
    isFirst = false;
    return was;
  };
}

function survivorOf(pods: readonly Pod[]): Pod {
  const [survivor, ...others] = pods.filter(({ isDead }) => !isDead);
  if (!survivor || others.length > 0) throw new Error('just one was to survive');
  return survivor;
}

/** It goes on to its proper end, and nothing is open once its client has left: an HTTP/2 connection keeps its place until then. */
async function endsInFull(talk: Talk, { line }: Pod, service: SleepyService): Promise<void> {
  line?.finish();
  await expect(talk.ended()).resolves.toBe('in full');
  talk.stop();
  await until('nothing to be open', () => service.open === 0);
}

for (const { protocol, passes, diedBefore, diedAmid } of rows) {
  const named = `${protocol.name}${protocol.missing ? ` (${protocol.missing})` : ''}`;

  (protocol.missing ? describe.skip : describe)(named, () => {
    it('asleep: is held, has the service woken, and is answered in full once a pod is ready', async () => {
      const { service, begin, pod } = setup(protocol, 'asleep');
      const first = pod('pod-a');
      const talk = await begin();
      await until('it to be held', () => service.held === 1);
      await until('the wake', () => service.wakes > 0);

      await first.listen();
      await service.announce(first);

      await expect(talk.hear()).resolves.toBe('pod-a: hello');
      await endsInFull(talk, first, service);
    });

    it('waking: is answered by a pod that is ready a moment before it listens', async () => {
      const { service, begin, pod } = setup(protocol, 'waking');
      const early = pod('pod-a');
      await service.announce(early);
      const talk = await begin();
      await until('the pod to refuse it', () => service.held === 1);

      await early.listen();

      await expect(talk.hear()).resolves.toBe('pod-a: hello');
      await endsInFull(talk, early, service);
    });

    it(`awake: passes without a hold, ${passes} at once`, async () => {
      const { service, begin, pod } = setup(protocol, 'awake');
      const ready = pod('pod-a');
      await ready.listen();
      await service.announce(ready);

      const talk = await begin();

      await expect(talk.hear()).resolves.toBe('pod-a: hello');
      for (const words of passes === 'one answer' ? [] : ['one', 'two', 'three']) {
        if (passes === 'messages both ways') talk.say?.(words);
        else ready.line?.say(words);
        await expect(talk.hear()).resolves.toBe(`pod-a: ${words}`);
      }
      expect(service.open).toBe(1);
      await endsInFull(talk, ready, service);
      expect(service.wakes).toBe(0);
    });

    const twoPodsOfWhichOneDies = async ({ service, pod }: Setting): Promise<Pod[]> => {
      const isDoomed = onlyOnce();
      const pods = [pod('pod-a', isDoomed), pod('pod-b', isDoomed)];
      for (const one of pods) await one.listen();
      await service.announce(...pods);
      return pods;
    };

    if (diedBefore === 'nothing') {
      it('its pod dies before it answers: another does, and the client notices nothing', async () => {
        const setting = setup(protocol, 'died-before');
        const pods = await twoPodsOfWhichOneDies(setting);

        const talk = await setting.begin();
        const heard = await talk.hear();

        const survivor = survivorOf(pods);
        expect(heard).toBe(`${survivor.name}: hello`);
        expect(pods.map(({ asked }) => asked)).toEqual([1, 1]);
        await endsInFull(talk, survivor, setting.service);
      });
    } else {
      it('its pod dies before it answers: that is said, and nothing is sent twice', async () => {
        const setting = setup(protocol, 'died-before');
        const pods = await twoPodsOfWhichOneDies(setting);

        const talk = await setting.begin();

        await expect(talk.ended()).resolves.toMatch(diedBefore);
        await until('nothing to be open', () => setting.service.open === 0);
        expect(survivorOf(pods).asked).toBe(0);
      });
    }

    it('its pod dies in the middle: the end cannot be taken for a proper one, and the next exchange goes to another', async () => {
      const { service, begin, pod } = setup(protocol, 'died-amid');
      const pods = [pod('pod-a'), pod('pod-b')];
      for (const one of pods) await one.listen();
      await service.announce(...pods);
      const talk = await begin();
      await talk.hear();

      pods.find(({ asked }) => asked === 1)?.die();

      await expect(talk.ended()).resolves.toMatch(diedAmid);
      await until('nothing to be open', () => service.open === 0);
      const survivor = survivorOf(pods);
      expect(survivor.asked).toBe(0);
      const next = await begin();
      await expect(next.hear()).resolves.toBe(`${survivor.name}: hello`);
      await endsInFull(next, survivor, service);
    });
  });
}
