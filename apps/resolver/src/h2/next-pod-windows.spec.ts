import {
  FIRST_WINDOW,
  FLAG,
  FRAME,
  frameHead,
  H2_ERROR,
  PREFACE,
  writeGoaway,
  writeHeaderBlock,
  writeRstStream,
  writeWindowUpdate,
} from './frame';
import { data, H2Stage, head } from './h2-connection.fixture';
import { writeLiteral } from './header-field';
import { SETTING, writeSettings } from './settings-frame';

const WIDE = new Map([[SETTING.initialWindowSize, 1_000_000]]);

interface Got {
  bytes: number;
  ended: boolean;
}

/** What a pod was sent of the bodies of its streams. */
function bodiesIn(written: string): Map<number, Got> {
  const bodies = new Map<number, Got>();
  for (let at = PREFACE.length; at + 9 <= written.length;) {
    const frame = Buffer.from(written.slice(at, at + 9), 'latin1');
    const length = frame.readUIntBE(0, 3);
    const id = frame.readUInt32BE(5);
    const body = bodies.get(id) ?? { bytes: 0, ended: false };
    if (frame[3] === FRAME.data) body.bytes += length;
    if (frame[3] === FRAME.data || frame[3] === FRAME.headers) body.ended ||= ((frame[4] ?? 0) & FLAG.endStream) !== 0;
    if (id > 0) bodies.set(id, body);
    at += 9 + length;
  }
  return bodies;
}

const allBytesIn = (written: string): number => [...bodiesIn(written).values()].reduce((sum, { bytes }) => sum + bytes, 0);

describe('a request body at the next pod', () => {
  const put = (id: number): string => head(id, { ':method': 'PUT' }, 'goes on');
  const post = (id: number): string => head(id, { ':method': 'POST' }, 'goes on');

  /** A connection whose first pod takes all that it is sent, and has some of it. */
  function setup(sent: string) {
    const stage = new H2Stage(head(1));
    const first = stage.meetPod(WIDE);
    first.says(writeWindowUpdate(0, 1_000_000));
    stage.client.says(sent);
    return { stage, client: stage.client, first };
  }

  it('of one byte more than the first window is sent but for that byte, which follows when the pod takes more', () => {
    const { stage, first } = setup(put(3) + data(3, 16_384).repeat(3) + data(3, 16_384, FLAG.endStream));

    first.fails();
    const next = stage.meetPod();
    const before = bodiesIn(next.written).get(3);
    next.says(writeWindowUpdate(0, 1) + writeWindowUpdate(3, 1));

    expect(before).toEqual({ bytes: FIRST_WINDOW, ended: false });
    expect(bodiesIn(next.written).get(3)).toEqual({ bytes: FIRST_WINDOW + 1, ended: true });
  });

  it('goes with others in the window that all of them share, and all come in the end', () => {
    const ids = [3, 5, 7];
    const { stage, first } = setup(ids.map((id) => put(id) + data(id, 10_000).repeat(4) + data(id, 10_000, FLAG.endStream)).join(''));

    first.fails();
    const next = stage.meetPod();
    const before = allBytesIn(next.written);
    next.says(writeWindowUpdate(0, FIRST_WINDOW));
    const between = allBytesIn(next.written);
    next.says(writeWindowUpdate(0, FIRST_WINDOW));

    expect([before, between]).toEqual([FIRST_WINDOW, 2 * FIRST_WINDOW]);
    for (const id of ids) expect(bodiesIn(next.written).get(id)).toEqual({ bytes: 50_000, ended: true });
  });

  it('does not hold up the requests behind it when the window that all share is used up', () => {
    const { stage, client, first } = setup([3, 5, 7].map((id) => put(id) + data(id, 16_000).repeat(4)).join('') + head(9));

    first.fails();
    const next = stage.meetPod(WIDE);

    expect([...bodiesIn(next.written)]).toEqual([
      [1, { bytes: 0, ended: true }],
      [3, { bytes: 64_000, ended: false }],
      [5, { bytes: FIRST_WINDOW - 64_000, ended: false }],
      [7, { bytes: 0, ended: false }],
      [9, { bytes: 0, ended: true }],
    ]);
    expect(client.isPaused).toBe(false);
  });

  it('waits with its head where so many bodies are before it that the client would have to be read no further', () => {
    const ids = Array.from({ length: 12 }, (_, at) => 3 + 2 * at);
    const { stage, client, first } = setup(ids.map((id) => put(id) + data(id, 16_000).repeat(4)).join(''));

    first.fails();
    const next = stage.meetPod(WIDE);
    const before = bodiesIn(next.written).size;
    next.says(writeWindowUpdate(0, 1_000_000));

    expect(before).toBeLessThan(ids.length);
    expect(client.isPaused).toBe(false);
    for (const id of ids) expect(bodiesIn(next.written).get(id)?.bytes).toBe(64_000);
  });

  it.each([
    ['was sent to the pod before', put(3) + data(3, 0, FLAG.endStream), ''],
    ['came while there was no pod', post(3) + data(3, 0), data(3, 0, FLAG.endStream)],
  ])('that is empty ends there as well, when its end %s', (_, sent, sentLater) => {
    const { stage, client, first } = setup(sent);

    first.fails();
    client.says(sentLater);
    const next = stage.meetPod();

    expect(bodiesIn(next.written).get(3)).toEqual({ bytes: 0, ended: true });
  });

  it('waits with what its client, who was given more by the pod before, sends at once', () => {
    const { stage, client, first } = setup(put(3) + data(3, 10_000) + put(5) + data(5, 10_000));

    first.fails();
    const next = stage.meetPod();
    client.says((data(3, 10_000) + data(5, 10_000)).repeat(4) + data(3, 0, FLAG.endStream) + data(5, 0, FLAG.endStream));
    const before = allBytesIn(next.written);
    next.says(writeWindowUpdate(0, 50_000));

    expect(before).toBe(FIRST_WINDOW);
    for (const id of [3, 5]) expect(bodiesIn(next.written).get(id)).toEqual({ bytes: 50_000, ended: true });
    expect(client.state).toBe('open');
  });

  it('keeps to the window of its stream, and costs the other streams nothing', () => {
    const { stage, client, first } = setup(put(3) + data(3, 10_000).repeat(4));

    first.fails();
    const next = stage.meetPod();
    next.says(writeWindowUpdate(0, 1_000_000));
    client.says(data(3, 10_000).repeat(6) + put(5) + data(5, 10_000, FLAG.endStream));
    const before = bodiesIn(next.written);
    next.says(writeWindowUpdate(3, 100_000));

    expect([before.get(3), before.get(5)]).toEqual([
      { bytes: FIRST_WINDOW, ended: false },
      { bytes: 10_000, ended: true },
    ]);
    expect(bodiesIn(next.written).get(3)).toEqual({ bytes: 100_000, ended: false });
  });

  it('keeps to a stream window that is smaller than usual, and goes on when the pod changes its mind', () => {
    const { stage, first } = setup(put(3) + data(3, 10_000, FLAG.endStream));

    first.fails();
    const next = stage.meetPod(new Map([[SETTING.initialWindowSize, 1_000]]));
    const before = bodiesIn(next.written).get(3);
    next.says(writeSettings(WIDE));

    expect(before).toEqual({ bytes: 1_000, ended: false });
    expect(bodiesIn(next.written).get(3)).toEqual({ bytes: 10_000, ended: true });
  });

  it('is followed by its trailers, not overtaken', () => {
    const { stage, client, first } = setup(put(3) + data(3, 10_000).repeat(4));
    const trailers = writeHeaderBlock(3, writeLiteral('x-sum', 'of all'), 'ends stream');

    first.fails();
    const next = stage.meetPod();
    client.says(data(3, 10_000).repeat(4) + trailers);
    const before = next.written;
    next.says(writeWindowUpdate(0, 20_000) + writeWindowUpdate(3, 20_000));

    expect(before).not.toContain('x-sum');
    expect(next.written.endsWith(trailers)).toBe(true);
    expect(bodiesIn(next.written).get(3)).toEqual({ bytes: 80_000, ended: true });
  });

  it('gives its client the window back that it waited with when the client cancels it', () => {
    const { stage, client, first } = setup(put(3) + data(3, 10_000).repeat(4));

    first.fails();
    stage.meetPod();
    client.says(data(3, 10_000).repeat(4));
    client.says(writeRstStream(3, H2_ERROR.cancel));

    expect(client.written).toContain(writeWindowUpdate(0, 80_000 - FIRST_WINDOW));
  });

  it('is sent without its padding, which its client gets back once', () => {
    const padded = `${frameHead(266, FRAME.data, FLAG.padded, 3)}\xff${'x'.repeat(10)}${'\0'.repeat(255)}`;
    const { stage, client, first } = setup(put(3) + padded.repeat(100));

    first.fails();
    const next = stage.meetPod();
    next.fails();
    const last = stage.meetPod();

    expect(bodiesIn(last.written).get(3)).toEqual({ bytes: 1_000, ended: false });
    expect(client.written.split(writeWindowUpdate(3, 25_600)).length - 1).toBe(1);
  });

  it('is answered with 502 when more comes before there is a pod than is kept, and costs the other streams nothing', () => {
    const { stage, client, first } = setup(put(3) + data(3, 10_000).repeat(4));

    first.fails();
    client.says(data(3, 10_000).repeat(6));
    const next = stage.meetPod();

    expect(client.written).toMatch(/502[^]*shop\/web:80: its pod is gone, and more of the body came than is kept for another/);
    expect([client.state, next.written.includes('PUT'), next.written.includes('GET')]).toEqual(['open', false, true]);
  });

  describe('of a POST that the pod before had no window for in full', () => {
    const NARROW = new Map([[SETTING.initialWindowSize, 1_000]]);
    const whole = data(1, 10_000, FLAG.endStream);

    it.each([
      ['held', post(1) + whole, ''],
      ['sent after its head', post(1), whole],
      ['sent to its announced length', head(1, { ':method': 'POST', 'content-length': '10000' }, 'goes on'), data(1, 10_000)],
      ['sent with trailers', post(1), data(1, 10_000) + writeHeaderBlock(1, writeLiteral('x-sum', 'of all'), 'ends stream')],
    ])('is repeated, for that pod has not seen all of it: %s', (_, sentBefore, sentToPod) => {
      const stage = new H2Stage(sentBefore);
      const first = stage.meetPod(NARROW);
      stage.client.says(sentToPod);

      first.fails();
      const next = stage.meetPod();

      expect(bodiesIn(first.written).get(1)).toEqual({ bytes: 1_000, ended: false });
      expect(bodiesIn(next.written).get(1)?.bytes).toBe(10_000);
      expect(stage.client.written).not.toContain('502');
    });

    it('goes to the next when that pod says that it did nothing', () => {
      const stage = new H2Stage(post(1) + whole);
      const first = stage.meetPod(NARROW);

      first.says(writeGoaway(0, H2_ERROR.none));
      const next = stage.meetPod();

      expect(bodiesIn(next.written).get(1)).toEqual({ bytes: 10_000, ended: true });
      expect(stage.client.written).not.toContain(writeRstStream(1, H2_ERROR.refusedStream));
    });

    it.each([
      ['to its end', post(1) + whole],
      ['to its announced length', head(1, { ':method': 'POST', 'content-length': '10000' }, 'goes on') + data(1, 10_000)],
    ])('is not repeated once the rest was sent: %s', (_, sent) => {
      const stage = new H2Stage(sent);
      const first = stage.meetPod(NARROW);
      first.says(writeWindowUpdate(1, 9_000));

      first.fails();

      expect(bodiesIn(first.written).get(1)?.bytes).toBe(10_000);
      expect(stage.client.written).toMatch(/502[^]*the pod closed the connection before its answer was whole/);
    });
  });

  it('is read no further while too much of it waits, and the pod that takes nothing of it is given up', async () => {
    const { stage, client, first } = setup(put(3) + data(3, 10_000));
    first.says(writeWindowUpdate(0, 10_000_000));

    first.fails();
    const next = stage.meetPod();
    client.says(data(3, 10_000).repeat(105));
    const isRead = !client.isPaused;
    client.says(data(3, 10_000).repeat(10));
    const isReadOn = !client.isPaused;
    await stage.clock.advance(601_000);

    expect([isRead, isReadOn, next.state]).toEqual([true, false, 'destroyed']);
  });
});

describe('a request body that waits for the windows of its pod', () => {
  const NARROW = new Map([
    [SETTING.initialWindowSize, 1_000],
    [SETTING.maxConcurrentStreams, 1],
  ]);
  const post = head(1, { ':method': 'POST' }, 'goes on');
  const whole = `${frameHead(1, FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1)}\x88`;

  it.each([
    ['before its answer', data(1, 10_000, FLAG.endStream), ''],
    ['after its answer', data(1, 10_000), data(1, 0, FLAG.endStream)],
  ])('waits no longer when the answer is whole and the client ended it %s', (_, sentBefore, sentAfter) => {
    const stage = new H2Stage(post);
    const pod = stage.meetPod(NARROW);
    stage.client.says(sentBefore);

    pod.says(whole);
    stage.client.says(sentAfter + head(3));

    expect(stage.client.written).toContain(whole);
    expect(stage.client.written).toContain(writeWindowUpdate(0, 9_000));
    expect(pod.written).toContain(writeRstStream(1, H2_ERROR.none));
    expect([...bodiesIn(pod.written).keys()]).toEqual([1, 3]);
  });

  it('is sent on after the answer as long as its client is sending', () => {
    const stage = new H2Stage(post);
    const pod = stage.meetPod(NARROW);
    stage.client.says(data(1, 10_000));

    pod.says(whole);
    pod.says(writeWindowUpdate(1, 9_000));
    stage.client.says(data(1, 0, FLAG.endStream));

    expect(bodiesIn(pod.written).get(1)).toEqual({ bytes: 10_000, ended: true });
    expect(pod.written).not.toContain(writeRstStream(1, H2_ERROR.none));
  });
});
