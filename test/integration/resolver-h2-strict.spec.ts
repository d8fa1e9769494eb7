import type { Socket } from 'node:net';

import {
  FLAG,
  FRAME,
  frameHead,
  H2_ERROR,
  PREFACE,
  uint32,
  writeHeaderBlock,
  writePing,
  writeRstStream,
  writeWindowUpdate,
} from '../../apps/resolver/src/h2/frame';
import { writeLiteral } from '../../apps/resolver/src/h2/header-field';
import { answerOk, H2Scene } from './resolver-h2.fixture';
import type { H2Pod, H2Resolver, OnStream } from './resolver-h2.fixture';
import { RawClient, until } from './resolver-http1.fixture';

const SETTINGS = frameHead(0, FRAME.settings, 0, 0);
const HELLO = PREFACE + SETTINGS;

type Fields = Readonly<Record<string, string>>;
const REQUEST: Fields = { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'web' };

const block = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, value]) => writeLiteral(name, value))
    .join('');
const request = (id: number, fields: Fields = REQUEST, end: 'ends stream' | 'goes on' = 'ends stream'): string =>
  writeHeaderBlock(id, block(fields), end);
const data = (id: number, text: string, flags = 0): string => frameHead(text.length, FRAME.data, flags, id) + text;

const begunAndReset = (id: number): string => request(id, REQUEST, 'goes on') + data(id, 'x') + writeRstStream(id, 0);

const goaway = (code: number): RegExp => new RegExp(`\\x00\\x00\\x08\\x07\\x00\\x00{4}.{4}${hex(uint32(code))}`, 's');
const reset = (id: number, code: number): RegExp => new RegExp(hex(writeRstStream(id, code as 0)), 's');
const hex = (text: string): string => text.replace(/[^]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

describe('the HTTP/2 relay against clients that break the rules', () => {
  const scene = new H2Scene();
  afterEach(() => scene.stop());

  async function setup(
    situation: 'awake' | 'asleep',
    onStream: OnStream = answerOk,
  ): Promise<{ client: RawClient; pod: H2Pod; resolver: H2Resolver }> {
    const pod = await scene.pod(onStream);
    const resolver = await scene.resolver();
    if (situation === 'awake') resolver.gate.ready(pod);
    const client = await RawClient.connect(resolver.port);
    scene.add({ stop: () => void (client.socket satisfies Socket).destroy() });
    return { client, pod, resolver };
  }

  describe.each(['awake', 'asleep'] as const)('while the service is %s', (situation) => {
    const longName = 'x'.repeat(16_384);
    it.each([
      ['a first frame that is not SETTINGS', PREFACE + writePing('12345678', 'question'), H2_ERROR.protocol],
      ['a first frame that acknowledges', PREFACE + frameHead(0, FRAME.settings, FLAG.ack, 0), H2_ERROR.protocol],
      ['a frame that is too large', HELLO + frameHead(16_385, FRAME.data, 0, 1), H2_ERROR.frameSize],
      ['DATA before HEADERS', HELLO + data(1, 'x'), H2_ERROR.protocol],
      ['DATA on the connection itself', HELLO + data(0, 'x'), H2_ERROR.protocol],
      ['an even stream', HELLO + request(2), H2_ERROR.protocol],
      ['CONTINUATION out of nowhere', HELLO + frameHead(0, FRAME.continuation, FLAG.endHeaders, 1), H2_ERROR.protocol],
      [
        'another frame inside a header block',
        `${HELLO}${frameHead(1, FRAME.headers, 0, 1)}\x82${writePing('12345678', 'question')}`,
        H2_ERROR.protocol,
      ],
      [
        'another stream inside a header block',
        `${HELLO}${frameHead(1, FRAME.headers, 0, 1)}\x82${frameHead(0, FRAME.continuation, 4, 3)}`,
        H2_ERROR.protocol,
      ],
      ['a push', HELLO + frameHead(4, FRAME.pushPromise, FLAG.endHeaders, 1) + uint32(2), H2_ERROR.protocol],
      ['padding longer than its frame', `${HELLO}${frameHead(2, FRAME.headers, FLAG.padded | FLAG.endHeaders, 1)}\x09x`, H2_ERROR.protocol],
      ['bytes that are not HPACK', `${HELLO}${frameHead(1, FRAME.headers, FLAG.endHeaders, 1)}\xbe`, H2_ERROR.compression],
      ['SETTINGS of half a setting', `${HELLO}${frameHead(3, FRAME.settings, 0, 0)}abc`, H2_ERROR.frameSize],
      [
        'SETTINGS with a window that cannot be',
        `${HELLO}${frameHead(6, FRAME.settings, 0, 0)}\0\x04\xff\xff\xff\xff`,
        H2_ERROR.flowControl,
      ],
      ['a PING of the wrong size', `${HELLO}${frameHead(7, FRAME.ping, 0, 0)}1234567`, H2_ERROR.frameSize],
      ['a window that grows by nothing', HELLO + writeWindowUpdate(0, 0), H2_ERROR.protocol],
      ['a window beyond what can be', HELLO + writeWindowUpdate(0, 0x7fffffff), H2_ERROR.flowControl],
      ['a window of a stream that is not there', HELLO + writeWindowUpdate(1, 1), H2_ERROR.protocol],
      ['a reset of a stream that is not there', HELLO + writeRstStream(1, 0), H2_ERROR.protocol],
      [
        'a header block without an end',
        HELLO + frameHead(16_384, FRAME.headers, 0, 1) + longName + (frameHead(16_384, FRAME.continuation, 0, 1) + longName).repeat(2),
        H2_ERROR.enhanceYourCalm,
      ],
      [
        'a header block in crumbs',
        HELLO + frameHead(0, FRAME.headers, 0, 1) + frameHead(0, FRAME.continuation, 0, 1).repeat(100),
        H2_ERROR.enhanceYourCalm,
      ],
      ['a flood of pings', HELLO + writePing('12345678', 'question').repeat(20_000), H2_ERROR.enhanceYourCalm],
      ['a flood of settings', HELLO + SETTINGS.repeat(20_000), H2_ERROR.enhanceYourCalm],
      ['a flood of priorities', HELLO + (frameHead(5, FRAME.priority, 0, 1) + '\0\0\0\0\0').repeat(20_000), H2_ERROR.enhanceYourCalm],
      ['a flood of empty data', HELLO + request(1, REQUEST, 'goes on') + data(1, '').repeat(20_000), H2_ERROR.enhanceYourCalm],
      [
        'a flood of streams that are reset at once',
        HELLO + Array.from({ length: 20_000 }, (_, at) => request(2 * at + 1) + writeRstStream(2 * at + 1, 0)).join(''),
        H2_ERROR.enhanceYourCalm,
      ],
      [
        'a flood of streams that are reset after a byte of data',
        HELLO + Array.from({ length: 20_000 }, (_, at) => begunAndReset(2 * at + 1)).join(''),
        H2_ERROR.enhanceYourCalm,
      ],
      [
        'a flood of streams that are malformed',
        HELLO + Array.from({ length: 20_000 }, (_, at) => request(2 * at + 1, { ...REQUEST, A: 'b' })).join(''),
        H2_ERROR.enhanceYourCalm,
      ],
    ])('ends the connection for %s', async (_, bytes, code) => {
      const { client, resolver } = await setup(situation, (stream) => void stream.resume());

      client.send(bytes);

      await client.until(goaway(code));
      await client.until(({ ended, closed }) => ended || closed);
      expect(resolver.tally.refusals).toContain('shop/web malformed');
    });

    const { ':path': _path, ...pathless } = REQUEST;
    it.each<[string, Fields]>([
      ['a line break in a value', { ...REQUEST, a: 'b\r\nc: d' }],
      ['a NUL in a value', { ...REQUEST, a: 'b\0' }],
      ['upper case in a name', { ...REQUEST, Ab: 'c' }],
      ['a header of HTTP/1 connections', { ...REQUEST, 'transfer-encoding': 'chunked' }],
      ['no path', pathless],
      ['a length and no body', { ...REQUEST, ':method': 'POST', 'content-length': '10' }],
    ])('ends the stream for %s, and serves the next', async (_, fields) => {
      const { client, pod, resolver } = await setup(situation);

      client.send(HELLO + request(1, fields) + request(3));
      await client.until(reset(1, H2_ERROR.protocol));
      if (situation === 'asleep') resolver.gate.ready(pod);

      await client.until(/ok$/);
      expect(pod.heads).toHaveLength(1);
    });

    it.each([
      ['longer', data(1, 'abc')],
      ['shorter', data(1, 'a', FLAG.endStream)],
    ])('ends a stream whose body is %s than it said', async (_, body) => {
      const { client } = await setup(situation, (stream) => void stream.resume());

      client.send(HELLO + request(1, { ...REQUEST, ':method': 'POST', 'content-length': '2' }, 'goes on') + body);

      await client.until(reset(1, H2_ERROR.protocol));
    });

    it('ends a stream that goes on after its end', async () => {
      const { client } = await setup(situation, (stream) => void stream.resume());

      client.send(HELLO + request(1) + data(1, 'x'));

      await client.until(reset(1, H2_ERROR.streamClosed));
    });
  });

  it('ends a connection that holds more than its window', async () => {
    const { client } = await setup('asleep');

    client.send(HELLO + request(1, REQUEST, 'goes on') + data(1, 'x'.repeat(16_384)).repeat(5));

    await client.until(goaway(H2_ERROR.flowControl));
  });

  it('refuses streams beyond what it allows while it holds', async () => {
    const { client, resolver } = await setup('asleep');

    client.send(HELLO + Array.from({ length: 101 }, (_, at) => request(2 * at + 1)).join(''));

    await client.until(reset(201, H2_ERROR.refusedStream));
    expect(resolver.tally.open).toBe(100);
  });

  it('refuses streams whose trailers are more than a connection may hold', async () => {
    const { client, resolver } = await setup('asleep');
    const trailers = block({ 'x-sum': 'y'.repeat(30_000) });
    const upload = (id: number): string => request(id, REQUEST, 'goes on') + writeHeaderBlock(id, trailers, 'ends stream');

    client.send(HELLO + Array.from({ length: 20 }, (_, at) => upload(2 * at + 1)).join(''));

    await client.until(reset(39, H2_ERROR.refusedStream));
    expect(resolver.tally.open * trailers.length).toBeLessThanOrEqual(256 * 1024);
    expect(resolver.tally.open).toBeGreaterThan(5);
  });

  it('reads a request in every way it may be broken into frames', async () => {
    const { client, pod } = await setup('awake');
    const whole = block({ ...REQUEST, 'x-long': 'y'.repeat(20_000) });
    const pieces = [whole.slice(0, 10), '', whole.slice(10, 9_000), whole.slice(9_000)];

    client.send(HELLO);
    const first = `\x03${uint32(0)}\x10${pieces[0]}\0\0\0`;
    client.send(frameHead(first.length, FRAME.headers, FLAG.endStream | FLAG.padded | FLAG.priority, 1) + first);
    pieces
      .slice(1)
      .forEach((piece, at) => client.send(frameHead(piece.length, FRAME.continuation, at === 2 ? FLAG.endHeaders : 0, 1) + piece));

    await client.until(/ok$/);
    expect(pod.heads[0]?.['x-long']).toHaveLength(20_000);
  });

  it('gives the window back that a stream took which nobody reads', async () => {
    const { client, resolver } = await setup('asleep');

    client.send(HELLO + request(1, REQUEST, 'goes on') + data(1, 'x'.repeat(1_000)) + writeRstStream(1, 0));
    await until('it is gone', () => resolver.tally.statuses.length === 1);

    await client.until(new RegExp(hex(writeWindowUpdate(0, 1_000))));
    client.send(data(1, 'late'));
    await client.until(new RegExp(hex(writeWindowUpdate(0, 4))));
  });

  it('passes on what is held without its padding, and gives back what the padding took', async () => {
    const bodies: string[] = [];
    const { client, pod, resolver } = await setup('asleep', (stream) => {
      stream.on('data', (chunk: Buffer) => void bodies.push(chunk.toString()));
      stream.on('end', () => answerOk(stream));
    });
    const padded = `${frameHead(6, FRAME.data, FLAG.padded, 1)}\x03ab\0\0\0`;

    client.send(HELLO + request(1, { ...REQUEST, ':method': 'POST' }, 'goes on') + padded + data(1, '') + data(1, 'c', FLAG.endStream));
    await client.until(new RegExp(hex(writeWindowUpdate(0, 4) + writeWindowUpdate(1, 4))));
    resolver.gate.ready(pod);

    await client.until(/ok$/);
    expect(bodies.join('')).toBe('abc');
  });

  it('answers pings and settings by itself while there is no pod', async () => {
    const { client } = await setup('asleep');

    client.send(HELLO + writePing('12345678', 'question'));

    await client.until(new RegExp(hex(frameHead(0, FRAME.settings, FLAG.ack, 0) + writePing('12345678', 'answer'))));
    expect(client.text.startsWith(`${frameHead(6, FRAME.settings, 0, 0)}\0\x03${uint32(100)}`)).toBe(true);
  });
});
