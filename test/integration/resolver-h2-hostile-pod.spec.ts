import { FakeClock } from '@elasti/operator-kit/testing';
import type { ServicePort } from '../../apps/resolver/src/exchange';
import {
  FIRST_WINDOW,
  FLAG,
  FRAME,
  frameHead,
  LARGEST_PAYLOAD_BYTES,
  LARGEST_WINDOW,
  PREFACE,
  writeHeaderBlock,
  writeWindowUpdate,
} from '../../apps/resolver/src/h2/frame';
import { writeLiteral } from '../../apps/resolver/src/h2/header-field';
import { SETTING, writeSettings } from '../../apps/resolver/src/h2/settings-frame';
import { answerOk, H2Scene } from './resolver-h2.fixture';
import { RawClient, RawPod, settled, until, WEB } from './resolver-http1.fixture';

const SETTINGS = frameHead(0, FRAME.settings, 0, 0);
const API: ServicePort = { namespace: 'shop', service: 'api', port: 80 };

function head(id: number, host: string, method: string, end: 'ends stream' | 'goes on'): string {
  const fields = { ':method': method, ':scheme': 'http', ':path': '/', ':authority': host };
  const block = Object.entries(fields).map(([name, value]) => writeLiteral(name, value));
  return writeHeaderBlock(id, block.join(''), end);
}

const get = (id: number, host: string): string => head(id, host, 'GET', 'ends stream');

describe('a pod that begins a header block and does not end it', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  const begunBlock = `${frameHead(1, FRAME.headers, 0, 1)}\x88`;
  const restOfBlock = frameHead(0, FRAME.continuation, FLAG.endHeaders, 1);

  const openBlock = async (): Promise<RawPod> =>
    scene.add(
      await RawPod.start((socket, text) => {
        if (text.startsWith(PREFACE)) socket.write(SETTINGS, 'latin1');
        if (text.includes('x-elasti-via')) socket.write(begunBlock, 'latin1');
      }),
    );

  async function clientOf({ port }: { readonly port: number }): Promise<RawClient> {
    const client = await RawClient.connect(port);
    scene.add({ stop: () => void client.socket.destroy() });
    return client;
  }

  it('does not make the answers pile up that wait for its end', async () => {
    let asked = 0;
    const targetOf = ({ host }: { readonly host: string }): ServicePort => {
      asked++;
      return host === 'web' ? WEB : API;
    };
    const pod = await openBlock();
    const resolver = await scene.resolver({ policy: { targetOf }, target: 'by request' });
    resolver.gate.ready(pod);
    const client = await clientOf(resolver);
    client.send(PREFACE + SETTINGS + get(1, 'web'));
    await client.until(({ text }) => text.includes(begunBlock));

    client.send(Array.from({ length: 20_000 }, (_, at) => get(2 * at + 3, 'api')).join(''));
    const before = await settled(() => asked);
    pod.connections[0]?.write(restOfBlock, 'latin1');
    await until('all are answered', () => asked === 20_001);

    expect(before).toBeLessThan(5_000);
  });

  it('is given only so long for it', async () => {
    const pod = await openBlock();
    const resolver = await scene.resolver({ settings: { headTimeoutMs: 100 } });
    resolver.gate.ready(pod);
    const client = await clientOf(resolver);

    client.send(PREFACE + SETTINGS + get(1, 'web'));
    await client.until(({ text }) => text.includes(begunBlock));

    await client.until(({ closed }) => closed);
    expect(resolver.tally.lostCount).toBe(1);
    expect(resolver.gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'broken' }]);
  });
});

describe('a pod that answers what it was not sent', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  it('is left, and what it was not sent goes to another', async () => {
    const oneAtATime = `${frameHead(6, FRAME.settings, 0, 0)}\0\x03\0\0\0\x01`;
    const both = [1, 3].map((id) => `${frameHead(1, FRAME.headers, FLAG.endHeaders, id)}\x88`).join('');
    const eager = scene.add(
      await RawPod.start((socket, text) => {
        if (text.startsWith(PREFACE)) socket.write(oneAtATime, 'latin1');
        if (text.includes('x-elasti-via')) socket.write(both, 'latin1');
      }, 'eager'),
    );
    const resolver = await scene.resolver();
    const client = scene.client(resolver);
    const [first, second] = [client.ask({ ':path': '/first' }), client.ask({ ':path': '/second' })];
    first.catch(() => undefined);
    await until('both are held', () => resolver.gate.waiting.length === 2);

    resolver.gate.ready(eager, await scene.pod(answerOk, 'fine'));

    await expect(first).rejects.toThrow('reset');
    await expect(second.then(({ body }) => body.toString())).resolves.toBe('ok');
  });
});

describe('a pod that gives wide windows and stops reading', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  const wide = writeSettings(new Map([[SETTING.initialWindowSize, LARGEST_WINDOW]])) + writeWindowUpdate(0, LARGEST_WINDOW - FIRST_WINDOW);
  const piece = Buffer.from((frameHead(LARGEST_PAYLOAD_BYTES, FRAME.data, 0, 3) + 'x'.repeat(LARGEST_PAYLOAD_BYTES)).repeat(64), 'latin1');

  /** More than the kernel takes for a pod that does not read, and less than is a flood once its stream is over. */
  const PIECES = 28;

  /** A request without a body and one whose body stands still. */
  async function stuck() {
    const clock = new FakeClock();
    const pod = scene.add(
      await RawPod.start((socket, text) => {
        if (text.startsWith(PREFACE)) socket.write(wide, 'latin1');
        if (text.includes('POST')) socket.pause();
      }),
    );
    const resolver = await scene.resolver({ clock, settings: { tickMs: 250 } });
    resolver.gate.ready(pod);
    const client = await RawClient.connect(resolver.port);
    scene.add({ stop: () => void client.socket.destroy() });
    client.send(PREFACE + SETTINGS + get(1, 'web') + head(3, 'web', 'POST', 'goes on'));
    await client.until(({ text }) => text.includes(wide.slice(-4)));
    expect(await settled(client.pump(piece, PIECES))).toBeLessThan(PIECES);
    return { clock, resolver, client };
  }

  it('is given up, and its place with it, also when its client has left in the meantime', async () => {
    const { clock, resolver, client } = await stuck();

    client.socket.destroy();
    await clock.advance(601_000);

    await until('all is over', () => resolver.forwarder.openConnections + resolver.forwarder.openUpstreams === 0);
    expect(resolver.gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'broken' }]);
    expect(resolver.tally.statuses).toContain(504);
  });

  it('costs its client no request that another pod can be sent', async () => {
    const { clock, resolver, client } = await stuck();
    resolver.gate.ready(await scene.pod(answerOk, 'fine'));

    await clock.advance(601_000);

    await until('both are answered', () => resolver.tally.open === 0);
    expect(resolver.tally.statuses).toEqual([504, 200]);
    await client.until(/: the pod did not take the request body in time/);
  });
});
