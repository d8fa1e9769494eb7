import type { ReadyPods } from '../endpoints';
import { keyOfService } from '../gate';
import type { Forwarder } from '../proxy';

/** Has no new exchange meet a connection to a pod that has left. */
export function closeAsPodsLeave(pods: Pick<ReadyPods, 'watchGone'>, forwarder: Pick<Forwarder, 'closePod'>): void {
  pods.watchGone((podKey, service) => {
    forwarder.closePod(podKey);
    // A connection through the Service leads to one of its pods for good, and nobody can tell to which.
    forwarder.closePod(keyOfService(service));
  });
}
