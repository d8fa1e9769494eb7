import type { ServerHttp2Stream } from 'node:http2';
import { Awaited } from './resolver-awaited.fixture';
import { answerOk, H2Client, H2Pod } from './resolver-h2.fixture';
import { until } from './resolver-http1.fixture';

describe('HTTP/2 with the gate', () => {
  let awaited: Awaited;
  const stops: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    await awaited.stop();
  });

  const client = async (): Promise<H2Client> => {
    const one = H2Client.connect(await awaited.listen());
    stops.push(() => one.stop());
    return one;
  };

  interface Setup {
    readonly pod: H2Pod;
    /** What the pod was asked for, by the path. */
    readonly streams: Map<string, ServerHttp2Stream>;
    /** The paths that were there together, each time that one came. */
    readonly crowds: string[];
  }

  async function setup(maxConcurrencyPerFreshPod: number): Promise<Setup> {
    awaited = new Awaited({ maxConcurrencyPerFreshPod });
    const streams: Setup['streams'] = new Map();
    const crowds: string[] = [];
    const pod = await H2Pod.start((stream, headers) => {
      streams.set(headers[':path'] ?? '', stream);
      crowds.push([...streams.keys()].join(' '));
    });
    stops.push(() => pod.stop());
    return { pod, streams, crowds };
  }

  async function hold(by: H2Client, ...paths: string[]): Promise<Promise<unknown>[]> {
    const answers: Promise<unknown>[] = [];
    for (const path of paths) {
      const before = awaited.gate.held;
      answers.push(by.ask({ ':path': path }).then(({ status }) => status));
      await until('it to be held', () => awaited.gate.held === before + 1);
    }
    return answers;
  }

  it('lets a fresh pod have no more held streams at once than is set, oldest first', async () => {
    const { pod, streams, crowds } = await setup(2);
    const answers = await hold(await client(), '/1', '/2', '/3', '/4', '/5');

    awaited.ready(pod.port);
    for (const [path, next] of [
      ['/1', '/2'],
      ['/2', '/3'],
      ['/3', '/4'],
      ['/4', '/5'],
    ] as const) {
      await until(`${next} to be there`, () => streams.has(next));
      const stream = streams.get(path);
      streams.delete(path);
      if (stream) answerOk(stream);
    }
    streams.forEach(answerOk);

    expect(await Promise.all(answers)).toEqual([200, 200, 200, 200, 200]);
    expect(crowds).toEqual(['/1', '/1 /2', '/2 /3', '/3 /4', '/4 /5']);
  });

  it('lets the next connection go when the streams of the first leave it room, and not before', async () => {
    const { pod, streams } = await setup(2);
    const [first, second] = [await client(), await client()];
    const answers = [...(await hold(first, '/1', '/2')), ...(await hold(second, '/3', '/4'))];

    awaited.ready(pod.port);
    await until('the pod to have the first', () => streams.size === 2);
    const before = [...streams.keys(), awaited.gate.held];
    streams.forEach(answerOk);
    streams.clear();
    await until('the pod to have the others', () => streams.size === 2);
    streams.forEach(answerOk);

    expect(before).toEqual(['/1', '/2', 2]);
    expect(await Promise.all(answers)).toEqual([200, 200, 200, 200]);
  });

  it('serves at once what comes later on a connection whose held streams are on their way', async () => {
    const { pod, streams } = await setup(2);
    const one = await client();
    const answers = await hold(one, '/1', '/2');
    awaited.ready(pod.port);
    await until('both to be there', () => streams.size === 2);

    answers.push(one.ask({ ':path': '/3' }).then(({ status }) => status));
    await until('the third to be there', () => streams.has('/3'));
    streams.forEach(answerOk);

    expect(await Promise.all(answers)).toEqual([200, 200, 200]);
  });

  it('brings those who were held back to the next pod, too, when theirs is lost', async () => {
    const { pod, streams } = await setup(1);
    const answers = await hold(await client(), '/1', '/2', '/3');
    awaited.ready(pod.port);
    await until('the first to be there', () => streams.has('/1'));

    const next = await H2Pod.start(answerOk);
    stops.push(() => next.stop());
    awaited.ready(next.port);
    pod.die();

    expect(await Promise.all(answers)).toEqual([200, 200, 200]);
    expect(next.heads.map(({ ':path': path }) => path)).toEqual(['/1', '/2', '/3']);
  });
});
