import type { ServicePort } from '../exchange';
import type { Fault, HeadSearch, PartialHeads, Passage } from '../http1';
import { FAULTS, HeadBuffer, KEPT_HEAD_BYTES, RequestHead, RequestWriter } from '../http1';
import type { OutgoingRequest } from './client-side';

/** The request heads of one connection: read strictly, one after the other, and written anew for the pod. */
export class RequestReader {
  /** Of the request that was read last. */
  readonly head = new RequestHead();
  private readonly heads: HeadBuffer;
  private readonly writer = new RequestWriter();
  private passage: (Passage & { readonly target: ServicePort }) | undefined;

  constructor(memory?: PartialHeads) {
    this.heads = new HeadBuffer(memory);
  }

  /** Whether a head has begun and not ended. */
  isPartial(): boolean {
    return this.heads.isPartial;
  }

  /** The index just past the head that was read. */
  get next(): number {
    return this.heads.next;
  }

  read(bytes: Buffer, start: number, end: number): 'whole' | 'more' | Fault {
    const search = this.heads.search(bytes, start, end);
    if (search === 'more') return 'more';
    if (search !== 'found') return faultOf(search);
    return this.head.read(this.heads.text) ?? 'whole';
  }

  /** Nothing is kept of a head that has begun: its end is no longer waited for. */
  drop(): void {
    this.heads.drop();
  }

  /** The request goes its way, or waits: of a large head nothing is kept here but its method. */
  forgetIfLarge(): void {
    if (this.heads.text.length <= KEPT_HEAD_BYTES) return;
    this.heads.forget();
    this.head.forget();
  }

  passageTo(target: ServicePort, link: { readonly remoteAddress: string }): Passage {
    if (this.passage?.target === target) return this.passage;
    const hop = `${target.namespace}/${target.service}:${target.port}`;
    this.passage = { target, hop, clientAddress: this.passage?.clientAddress ?? link.remoteAddress };
    return this.passage;
  }

  outgoing(passage: Passage): OutgoingRequest {
    const { head } = this;
    return {
      method: head.method,
      head: this.writer.write(head, passage),
      framing: head.framing(),
      minorVersion: head.minorVersion,
      keepsAlive: head.keepsAlive,
      upgrade: head.upgrade,
      bodyBytes: head.bodyBytes,
      timing: head.fields.asksTiming ? 'asked for' : 'unasked',
    };
  }
}

function faultOf(search: Exclude<HeadSearch, 'found' | 'more'>): Fault {
  switch (search) {
    case 'too large':
      return FAULTS.headTooLarge;
    case 'no room':
      return FAULTS.noRoomForHead;
    case 'bare line feed':
    case 'bare carriage return':
      return FAULTS.bareLineEnd;
  }
}
