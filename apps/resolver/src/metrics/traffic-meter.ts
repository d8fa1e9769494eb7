import type { Clock } from '@elasti/operator-kit';
import { type ServiceDirectory, ServiceMap, type ServiceRef } from '../directory';
import { type ExchangeListener, type HoldMoments, readyToSentMs, type Rejection, type ServicePort } from '../exchange';
import type { HoldEnd } from '../gate';
import type { WakeOutcome } from '../wake';
import { Distribution } from './distribution';
import { metricOptions } from './metric-options';
import { ServiceSeries } from './service-series';

/** Where the name of a service was found on the shared port. */
export type HostSource = 'header' | 'host';

/**
 * Counts what goes through the resolver.
 *
 * An exchange costs two looks into a map and a few additions. Only Services that are known have series, and those go with them.
 */
export class TrafficMeter implements ExchangeListener {
  readonly firstBytes = new Distribution(metricOptions.firstByte.buckets);
  readonly wakeCalls: Record<WakeOutcome, number> = { accepted: 0, refused: 0, unreachable: 0 };
  readonly extractions: Record<HostSource | 'none', number> = { header: 0, host: 0, none: 0 };
  /** Of those who came by the shared port and never said, or not properly, whom they wanted. */
  readonly strays = new Map<Rejection, number>();
  private readonly known = new ServiceMap<ServiceSeries>();

  constructor(
    private readonly directory: Pick<ServiceDirectory, 'find' | 'watchAll'>,
    private readonly clock: Clock,
  ) {
    directory.watchAll((ref) => this.follow(ref));
  }

  /** Of every Service that was seen. */
  series(): Iterable<ServiceSeries> {
    return this.known.values();
  }

  began(): void {
    // What is open is read from the gate.
  }

  ended(target: ServicePort, status: number | undefined, beganAtMs?: number): void {
    if (status === undefined || beganAtMs === undefined) return;
    this.find(target)?.answered(status, (this.clock.monotonic() - beganAtMs) / 1_000);
  }

  sentAfterHold(_target: ServicePort, moments: HoldMoments): void {
    const delayMs = readyToSentMs(moments);
    if (delayMs !== undefined) this.firstBytes.observe(delayMs / 1_000);
  }

  lost(target: ServicePort): void {
    const series = this.find(target);
    if (series) series.lost++;
  }

  held(service: ServiceRef, _end: HoldEnd, heldMs: number): void {
    this.find(service)?.heldFor(heldMs / 1_000);
  }

  refused(service: ServiceRef | undefined, reason: Rejection): void {
    if (service) this.find(service)?.refused(reason);
    else this.strays.set(reason, (this.strays.get(reason) ?? 0) + 1);
  }

  woken(service: ServiceRef, tookMs: number): void {
    this.find(service)?.wokenWithin(tookMs / 1_000);
  }

  probed(service: ServiceRef): void {
    const series = this.find(service);
    if (series) series.probes++;
  }

  asked(outcome: WakeOutcome): void {
    this.wakeCalls[outcome]++;
  }

  identified(source: HostSource | 'none'): void {
    this.extractions[source]++;
  }

  private find(ref: ServiceRef): ServiceSeries | undefined {
    return this.known.get(ref) ?? this.begin(ref);
  }

  private begin(ref: ServiceRef): ServiceSeries | undefined {
    const found = this.directory.find(ref);
    if (!found) return undefined;
    const series = new ServiceSeries(ref);
    series.switchTo(found.mode);
    this.known.set(ref, series);
    return series;
  }

  private follow(ref: ServiceRef): void {
    const found = this.directory.find(ref);
    if (found) this.find(ref)?.switchTo(found.mode);
    else this.known.delete(ref);
  }
}
