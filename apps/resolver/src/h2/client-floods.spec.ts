import {
  FIRST_WINDOW,
  FLAG,
  FRAME,
  frameHead,
  H2_ERROR,
  LARGEST_STREAM_ID,
  uint32,
  writeGoaway,
  writePing,
  writeRstStream,
  writeWindowUpdate,
} from './frame';
import { data, H2Stage, head } from './h2-connection.fixture';
import { SETTING, SETTINGS_ACK, writeSettings } from './settings-frame';

/** More than any connection may send that carries nothing. */
const MANY = 3_000;
const FLOOD_ENDS = uint32(H2_ERROR.enhanceYourCalm);

describe('answers of an HTTP/2 client', () => {
  it('are no flood when its pod has asked for each of them', () => {
    const stage = new H2Stage(head(1));
    const pod = stage.meetPod();

    for (let n = 0; n < MANY; n++) {
      pod.says(writePing('bdpprobe', 'question') + writeSettings(new Map()));
      stage.client.says(writePing('bdpprobe', 'answer') + SETTINGS_ACK);
    }

    expect(stage.client.state).toBe('open');
    expect(pod.written.split(writePing('bdpprobe', 'answer')).length - 1).toBe(MANY);
  });

  it('are no flood when they come after the pod that has asked is lost', () => {
    const stage = new H2Stage(head(1));
    const pod = stage.meetPod();
    pod.says(writePing('bdpprobe', 'question').repeat(MANY));

    pod.fails();
    const next = stage.meetPod();
    stage.client.says(writePing('bdpprobe', 'answer').repeat(MANY));

    expect(stage.client.state).toBe('open');
    expect(next.written).not.toContain('bdpprobe');
  });

  it.each([
    ['pings', writePing('bdpprobe', 'answer')],
    ['settings', SETTINGS_ACK],
  ])('are a flood when nobody has asked for them: %s', (_, answer) => {
    const stage = new H2Stage(head(1));
    stage.meetPod().says(writePing('bdpprobe', 'question'));

    stage.client.says(answer.repeat(MANY));

    expect(stage.client.state).toBe('ended');
    expect(stage.client.written.endsWith(FLOOD_ENDS)).toBe(true);
  });

  it('are a flood when one farewell is answered again and again', () => {
    const stage = new H2Stage(head(1));
    stage.meetPod().says(writeGoaway(LARGEST_STREAM_ID, H2_ERROR.none));
    const ping = frameHead(8, FRAME.ping, 0, 0);
    const own = stage.client.written.split(ping)[1]?.slice(0, 8) ?? '';

    stage.client.says(writePing(own, 'answer').repeat(MANY));

    expect(stage.client.written.endsWith(FLOOD_ENDS)).toBe(true);
  });
});

describe('DATA of an HTTP/2 client for a stream that is over', () => {
  const post = (id: number): string => head(id, { ':method': 'POST' }, 'goes on');
  const whole = (id: number): string => `${frameHead(1, FRAME.headers, FLAG.endHeaders | FLAG.endStream, id)}\x88`;
  const tooLarge = (id: number): string =>
    head(id, { ':method': 'POST', ...Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x-${at}`, 'v'])) }, 'goes on');
  const malformed = (id: number): string => head(id, { ':method': 'POST', Upper: 'case' }, 'goes on');

  function setup() {
    const stage = new H2Stage(head(1));
    return { client: stage.client, pod: stage.meetPod() };
  }

  it.each([
    ['the pod has reset it', post(3), writeRstStream(3, H2_ERROR.cancel)],
    ['the pod has answered it early', post(3), whole(3) + writeRstStream(3, H2_ERROR.none)],
    ['it was answered here', tooLarge(3), ''],
    ['it was refused', malformed(3), ''],
  ])('is no flood when it was on its way as %s, and the other streams go on', (_, request, end) => {
    const { client, pod } = setup();
    client.says(request);
    pod.says(end);

    // Small messages, as many as the window takes.
    client.says(data(3, 20).repeat(FIRST_WINDOW / 20));
    pod.says(whole(1));

    expect(client.state).toBe('open');
    expect(client.written.endsWith(whole(1))).toBe(true);
  });

  it('is no flood when several were reset at once that share a wide window', () => {
    const { client, pod } = setup();
    pod.says(writeWindowUpdate(0, FIRST_WINDOW));
    client.says(post(3) + post(5));

    pod.says(writeRstStream(3, H2_ERROR.cancel) + writeRstStream(5, H2_ERROR.cancel));
    client.says((data(3, 20) + data(5, 20)).repeat(FIRST_WINDOW / 20));

    expect(client.state).toBe('open');
  });

  describe('that a pod with wide windows has let it send', () => {
    const put = (id: number, fields = {}): string => head(id, { ':method': 'PUT', ...fields }, 'goes on');

    /** The client has begun this request, and its pod is lost before it answers. */
    function loseWidePod(request: string) {
      const stage = new H2Stage(head(1));
      const pod = stage.meetPod(new Map([[SETTING.initialWindowSize, 1_000_000]]));
      pod.says(writeWindowUpdate(0, 10_000_000));
      stage.client.says(request);
      pod.fails();
      return stage;
    }

    it('is no flood when the next pod takes less and resets it', () => {
      const stage = loseWidePod(put(3, { 'content-length': '60000' }) + data(3, 1_000));
      const next = stage.meetPod(new Map([[SETTING.initialWindowSize, 1_000]]));

      next.says(writeRstStream(3, H2_ERROR.cancel));
      stage.client.says(data(3, 20).repeat(2_950));

      expect(stage.client.state).toBe('open');
    });

    it('is no flood when it was given up for more had come than is kept', () => {
      const stage = loseWidePod(put(3) + data(3, 1_000));

      stage.client.says(data(3, 20).repeat(15_000));

      expect(stage.client.written).toContain('more of the body came than is kept');
      expect(stage.client.state).toBe('open');
    });

    it('is no flood when the client has not heard yet that the next pod takes less', () => {
      const stage = loseWidePod(put(3) + data(3, 10_000));
      const next = stage.meetPod();
      stage.client.says(data(3, 20).repeat(10_000));

      next.says(writeRstStream(3, H2_ERROR.cancel));
      stage.client.says(data(3, 20).repeat(10_000));

      expect(stage.client.state).toBe('open');
    });

    it('is a flood when it is more than any pod has let it send', () => {
      const stage = loseWidePod(put(3) + data(3, 10_000));

      stage.meetPod().says(writeRstStream(3, H2_ERROR.cancel));
      stage.client.says(data(3, 20).repeat(50_000 + MANY));

      expect(stage.client.written.endsWith(FLOOD_ENDS)).toBe(true);
    });
  });

  it.each([
    ['it goes on for ever', writeRstStream(3, H2_ERROR.cancel), '', data(3, 20).repeat(FIRST_WINDOW / 20 + MANY)],
    ['it is empty', writeRstStream(3, H2_ERROR.cancel), '', data(3, 0).repeat(MANY)],
    ['the client itself has reset the stream', '', writeRstStream(3, H2_ERROR.cancel), data(3, 20).repeat(MANY)],
    ['the client itself has ended the stream', whole(3), data(3, 0, FLAG.endStream), data(3, 20).repeat(MANY)],
  ])('is a flood when %s', (_, fromPod, fromClient, flood) => {
    const { client, pod } = setup();
    client.says(post(3) + fromClient);
    pod.says(fromPod);

    client.says(flood);

    expect(client.written.endsWith(FLOOD_ENDS)).toBe(true);
  });
});
