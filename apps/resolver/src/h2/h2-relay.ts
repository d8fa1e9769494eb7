import type { ServicePort } from '../exchange';
import type { H2Taker, Link, ProxyContext, TakenConnection } from '../proxy';
import { H2Connection } from './h2-connection';

/**
 * Takes HTTP/2 connections and relays their frames, one client connection to one pod connection with the same stream numbers.
 *
 * The frames are relayed, not the messages: node:http2 costs several times the throughput, and a frame that only has to pass needs no
 * more than its nine bytes looked at. The heads of requests are read and written anew, everything else goes on as it came.
 */
export class H2Relay implements H2Taker {
  take(link: Link, target: ServicePort | undefined, context: ProxyContext, onGone: (gone: TakenConnection) => void): TakenConnection {
    return new H2Connection(link, context, target, onGone);
  }
}
