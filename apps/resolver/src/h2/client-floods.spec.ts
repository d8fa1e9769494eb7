import { FRAME, frameHead, H2_ERROR, LARGEST_STREAM_ID, uint32, writeGoaway, writePing } from './frame';
import { H2Stage, head } from './h2-connection.fixture';
import { SETTINGS_ACK, writeSettings } from './settings-frame';

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
