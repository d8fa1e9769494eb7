import type { TrafficMode } from '@elasti/api';
import type { ServiceRef } from '../directory';
import type { Rejection } from '../exchange';
import { Distribution } from './distribution';
import { metricOptions } from './metric-options';

/** What is counted for one Service, for as long as it is known. Most sleep and are never asked for, so a histogram begins with its first value. */
export class ServiceSeries implements ServiceRef {
  readonly namespace: string;
  readonly service: string;
  held: Distribution | undefined;
  wakes: Distribution | undefined;
  readonly refusals = new Map<Rejection, number>();
  readonly switches: Record<TrafficMode, number> = { proxy: 0, serve: 0 };
  probes = 0;
  lost = 0;
  mode: TrafficMode | undefined;
  private readonly byClass: (Distribution | undefined)[] = [undefined, undefined, undefined, undefined, undefined, undefined];

  constructor({ namespace, service }: ServiceRef) {
    this.namespace = namespace;
    this.service = service;
  }

  answered(status: number, seconds: number): void {
    const codeClass = (status / 100) | 0;
    (this.byClass[codeClass] ??= new Distribution(metricOptions.requests.buckets)).observe(seconds);
  }

  heldFor(seconds: number): void {
    (this.held ??= new Distribution(metricOptions.held.buckets)).observe(seconds);
  }

  wokenWithin(seconds: number): void {
    (this.wakes ??= new Distribution(metricOptions.wake.buckets)).observe(seconds);
  }

  refused(reason: Rejection): void {
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }

  switchTo(mode: TrafficMode | undefined): void {
    if (mode !== undefined && this.mode !== undefined && mode !== this.mode) this.switches[mode]++;
    this.mode = mode ?? this.mode;
  }

  /** Answers by their class: `2xx`. */
  *answers(): Generator<{ readonly status: string; readonly error: 'success' | 'error'; readonly seconds: Distribution }> {
    for (const [codeClass, seconds] of this.byClass.entries()) {
      if (seconds) yield { status: `${codeClass}xx`, error: codeClass < 5 ? 'success' : 'error', seconds };
    }
  }
}
