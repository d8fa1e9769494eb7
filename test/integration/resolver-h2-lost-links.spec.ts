import type { OwnAnswer, ServicePort } from '../../apps/resolver/src/exchange';
import { FRAME, FRAME_HEAD_BYTES, LARGEST_WINDOW, PREFACE, writeHeaderBlock, writeWindowUpdate } from '../../apps/resolver/src/h2/frame';
import { writeLiteral } from '../../apps/resolver/src/h2/header-field';
import { SETTING, writeSettings } from '../../apps/resolver/src/h2/settings-frame';
import { answerOk, H2Scene } from './resolver-h2.fixture';
import { RawClient, settled, until } from './resolver-http1.fixture';

const scene = new H2Scene();
afterEach(() => scene.stop());

const mebibyte = Buffer.alloc(1024 * 1024, 'mebibyte');

function get(id: number, path: string): string {
  const fields = { ':method': 'GET', ':scheme': 'http', ':path': path, ':authority': 'web' };
  const block = Object.entries(fields).map(([name, value]) => writeLiteral(name, value));
  return writeHeaderBlock(id, block.join(''), 'ends stream');
}

function framesIn(text: string): { readonly type: number; readonly id: number; readonly length: number }[] {
  const bytes = Buffer.from(text, 'latin1');
  const frames = [];
  for (let at = 0; at + FRAME_HEAD_BYTES <= bytes.length;) {
    const length = bytes.readUIntBE(at, 3);
    frames.push({ type: bytes[at + 3] ?? 0, id: bytes.readUInt32BE(at + 5), length });
    at += FRAME_HEAD_BYTES + length;
  }
  return frames;
}

const dataBytesIn = (text: string) =>
  framesIn(text)
    .filter(({ type }) => type === FRAME.data)
    .reduce((sum, { length }) => sum + length, 0);

describe('an HTTP/2 pod that is lost while nobody reads it', () => {
  it('is noticed when it is written to, so that the client is read again and served by another', async () => {
    // An answer of our own takes its part of the window that the pod believes to be the client's, so the pod's answer stops before the pod does.
    const answerInstead = (_: ServicePort, { target }: { target: string }): OwnAnswer | undefined =>
      target === '/probe' ? { status: 200, text: 'x'.repeat(9_999) } : undefined;
    const resolver = await scene.resolver({ policy: { answerInstead } });
    const pod = await scene.pod((stream) => {
      stream.respond({ ':status': 200 });
      stream.end(mebibyte);
    });
    const other = await scene.pod(answerOk, 'pod-b');
    const client = await RawClient.connect(resolver.port);
    scene.add({ stop: () => void client.socket.destroy() });
    client.send(PREFACE + writeSettings(new Map([[SETTING.initialWindowSize, LARGEST_WINDOW]])) + get(1, '/probe') + get(3, '/'));
    await until('one is held', () => resolver.tally.open === 1);
    resolver.gate.ready(pod);
    await client.until(({ text }) => dataBytesIn(text) > 40_000);
    await settled(() => dataBytesIn(client.text));

    pod.die();
    resolver.gate.ready(other);
    client.send(get(5, '/'));
    await settled(() => client.text.length, 100);
    client.send(get(7, '/'));
    await settled(() => client.text.length, 100);
    client.send(writeWindowUpdate(0, 1_000_000));

    await client.until(({ text }) => framesIn(text).some(({ type, id }) => id === 7 && type === FRAME.headers));
    client.socket.destroy();
    await until('nothing to be open', () => resolver.tally.open === 0 && resolver.gate.openLeases === 0);
  });
});
