import { FLAG, FRAME, frameHead, H2_ERROR, LARGEST_PAYLOAD_BYTES, LARGEST_WINDOW, uint32 } from './frame';
import type { H2ErrorCode } from './frame';
import { OPEN_STREAMS } from './limits';

export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
  enableConnectProtocol: 8,
} as const;

export const SETTINGS_ACK = frameHead(0, FRAME.settings, FLAG.ack, 0);

/** The values of settings by their number. */
export type Settings = Map<number, number>;

/** The settings in a frame's payload, or the error that they are. */
export function readSettings(bytes: Buffer, start: number, end: number): Settings | H2ErrorCode {
  if ((end - start) % 6 !== 0) return H2_ERROR.frameSize;
  const settings: Settings = new Map();
  for (let at = start; at < end; at += 6) {
    const id = bytes.readUInt16BE(at);
    const value = bytes.readUInt32BE(at + 2);
    if (id === SETTING.enablePush && value > 1) return H2_ERROR.protocol;
    if (id === SETTING.initialWindowSize && value > LARGEST_WINDOW) return H2_ERROR.flowControl;
    if (id === SETTING.maxFrameSize && (value < LARGEST_PAYLOAD_BYTES || value > 0xffffff)) return H2_ERROR.protocol;
    settings.set(id, value);
  }
  return settings;
}

export function writeSettings(settings: Settings): string {
  let payload = '';
  for (const [id, value] of settings) payload += String.fromCharCode(id >>> 8, id & 255) + uint32(value);
  return frameHead(payload.length, FRAME.settings, 0, 0) + payload;
}

/** What every pod is told, whatever the client says. */
export const POD_DEFAULTS: ReadonlyMap<number, number> = new Map([
  [SETTING.headerTableSize, 0],
  [SETTING.enablePush, 0],
]);

/**
 * What the pod is told of the client's settings.
 *
 * Without a table for its answers their statuses can be read, and another pod can go on where one was lost.
 * Pushes are answers that nobody asked this connection for, and frames stay small enough to be held whole.
 */
export function settingsForPod(client: Settings): Settings {
  return pick(client, [SETTING.maxConcurrentStreams, SETTING.initialWindowSize, SETTING.maxHeaderListSize]);
}

/**
 * What the client is told of the pod's settings: the table of header fields is between the client and us, and frames stay small.
 */
export function settingsForClient(pod: Settings): Settings {
  const passed = pick(pod, [
    SETTING.maxConcurrentStreams,
    SETTING.initialWindowSize,
    SETTING.maxHeaderListSize,
    SETTING.enableConnectProtocol,
  ]);
  const streams = passed.get(SETTING.maxConcurrentStreams);
  if (streams !== undefined) passed.set(SETTING.maxConcurrentStreams, Math.min(streams, OPEN_STREAMS));
  return passed;
}

function pick(settings: Settings, ids: readonly number[]): Settings {
  return new Map([...settings].filter(([id]) => ids.includes(id)));
}
