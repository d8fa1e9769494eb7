import { FakeClock } from '@elasti/operator-kit/testing';

import type { Holder, PodLease } from '../exchange';
import type { ProxyContext } from '../proxy';
import { DEFAULT_PROXY_SETTINGS } from '../proxy';
import { Deadlines } from '../proxy/deadlines';
import { FakeLink } from '../proxy/link.fixture';
import { FRAME, frameHead, PREFACE, writeHeaderBlock } from './frame';
import { H2Connection } from './h2-connection';
import { writeLiteral } from './header-field';
import { writeSettings } from './settings-frame';
import type { Settings } from './settings-frame';

const NO_SETTINGS: Settings = new Map();

type Fields = Readonly<Record<string, string>>;

/** The frames of a request's head. */
export function head(id: number, fields: Fields = {}, end: 'ends stream' | 'goes on' = 'ends stream'): string {
  const all = { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'web', ...fields };
  const block = Object.entries(all).map(([name, value]) => writeLiteral(name, value));
  return writeHeaderBlock(id, block.join(''), end);
}

export function data(id: number, bytes: number, flags = 0): string {
  return frameHead(bytes, FRAME.data, flags, id) + 'x'.repeat(bytes);
}

/** A client and the pods of its connection, all played by the test; a pod is ready whenever the test meets the next. */
export class H2Stage {
  readonly clock = new FakeClock();
  readonly client = new FakeLink();
  private readonly pods: FakeLink[] = [];
  private readonly holders: Holder[] = [];
  private onOpen: () => void = () => undefined;

  constructor(firstFrames = '') {
    const target = { namespace: 'shop', service: 'web', port: 80 };
    new H2Connection(this.client, this.context(), target, () => undefined).start(
      Buffer.from(PREFACE + writeSettings(NO_SETTINGS) + firstFrames, 'latin1'),
    );
  }

  meetPod(settings: Settings = NO_SETTINGS): FakeLink {
    const lease: PodLease = { podKey: `pod-${this.pods.length}`, address: '10.0.0.1', port: 80, release: () => undefined };
    this.holders.splice(0).forEach((holder) => holder.entered(lease));
    this.onOpen();
    const pod = this.pods.at(-1);
    if (pod === undefined) throw new Error('nobody waits for a pod');
    pod.says(writeSettings(settings));
    return pod;
  }

  private context(): ProxyContext {
    const context = {
      gate: {
        tryEnter: () => undefined,
        hold: (_target: unknown, _held: unknown, holder: Holder) => {
          this.holders.push(holder);
          return { leave: () => undefined };
        },
      },
      policy: { answerInstead: () => undefined, isMovingOn: () => false },
      listener: { began: () => undefined, ended: () => undefined },
      links: {
        dial: (_address: string, _port: number, opened: () => void) => {
          const pod = new FakeLink();
          this.onOpen = opened;
          this.pods.push(pod);
          return pod;
        },
      },
      deadlines: new Deadlines(this.clock, 250),
      settings: DEFAULT_PROXY_SETTINGS,
      clock: this.clock,
      isDraining: () => false,
    };
    return context as unknown as ProxyContext;
  }
}
