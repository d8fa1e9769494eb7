import type { ServicePort } from '../../apps/resolver/src/exchange';
import { FLAG, FRAME, frameHead, PREFACE, writeHeaderBlock } from '../../apps/resolver/src/h2/frame';
import { writeLiteral } from '../../apps/resolver/src/h2/header-field';
import { answerOk, H2Scene } from './resolver-h2.fixture';
import { RawClient, RawPod, settled, until, WEB } from './resolver-http1.fixture';

const SETTINGS = frameHead(0, FRAME.settings, 0, 0);
const API: ServicePort = { namespace: 'shop', service: 'api', port: 80 };

function get(id: number, host: string): string {
  const fields = { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': host };
  const block = Object.entries(fields).map(([name, value]) => writeLiteral(name, value));
  return writeHeaderBlock(id, block.join(''), 'ends stream');
}

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
