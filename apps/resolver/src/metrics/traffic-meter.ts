import type { ServiceRef } from '../directory';
import type { ExchangeListener, ServicePort } from '../exchange';
import type { HoldEnd } from '../gate';
import type { WakeOutcome } from '../wake';

export class TrafficMeter implements ExchangeListener {
  began(_target: ServicePort): void {}
  ended(_target: ServicePort, _status: number | undefined): void {}
  held(_service: ServiceRef, _end: HoldEnd, _heldMs: number): void {}
  asked(_outcome: WakeOutcome): void {}
  identified(_source: 'header' | 'host', _target: ServicePort | undefined): void {}
}
