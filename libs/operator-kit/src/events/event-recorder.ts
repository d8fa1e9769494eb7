import { hostname } from 'node:os';
import { type EventSubject, type Regarding, regardingOf } from './counted-event';
import { cutText } from './cut-text';
import { EventCorrelator } from './event-correlator';
import { EventSender, type EventSenderParts } from './event-sender';
import type { EventNote, ObjectEvents } from './object-events';

export interface EventRecorderOptions extends EventSenderParts {
  /** Names the program: `webapp-operator`, or `example.com/webapp-operator`. */
  reportingController: string;
  /** Names the process. Default: the program and the host. */
  reportingInstance?: string;
}

const maxFieldBytes = 128;
const qualifiedName = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/**
 * Writes Kubernetes events (events.k8s.io/v1) without ever holding up the caller.
 *
 * The same event is counted on one object, similar ones are combined after 10 in 10 minutes, and one object may cause 25 at once and then one every 5 minutes.
 * Events are for people and may be dropped: nothing may depend on one having arrived.
 */
export class EventRecorder {
  private readonly correlator: EventCorrelator;
  private readonly sender: EventSender;

  /** @throws TypeError when the API server would refuse every event of such a reporter. */
  constructor(private readonly options: EventRecorderOptions) {
    const { reportingController: controller, reportingInstance: instance = `${controller}-${hostname()}` } = options;
    if (!qualifiedName.test(controller)) {
      throw new TypeError(
        `reportingController '${controller}' is not a qualified name: write it like 'webapp-operator' or 'example.com/webapp-operator'`,
      );
    }
    this.correlator = new EventCorrelator(options.clock);
    this.sender = new EventSender(options, { controller, instance: cutText(instance, maxFieldBytes) });
  }

  for(object: EventSubject): ObjectEvents {
    const regarding = regardingOf(object);
    return { emit: (event) => this.record(regarding, event) };
  }

  /** Sends what is left, for at most so long, and drops what comes later. */
  async stop(timeoutMs = 5_000): Promise<void> {
    await this.sender.stop(timeoutMs);
  }

  private record(regarding: Regarding, { type, reason, action, note }: EventNote): void {
    if (!reason || !regarding.name) {
      this.options.metrics.eventsDropped.inc({ reason: 'invalid' });
      this.options.logger.error('an event needs a reason and an object with a name', { regarding, reason });
      return;
    }
    const counted = this.correlator.observe(regarding, {
      type,
      reason: cutText(reason, maxFieldBytes),
      action: cutText(action === undefined || action === '' ? reason : action, maxFieldBytes),
      note,
    });
    if (counted) this.sender.enqueue(counted);
    else this.options.metrics.eventsDropped.inc({ reason: 'spam' });
  }
}
