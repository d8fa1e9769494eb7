import { type ObjectAccess, ControlLoop, NODES, PODS, conditionOf, isActive, specOf, statusOf } from '../controllers';
import { type SimClock, isoSeconds } from '../sim-clock';
import { type StoredObject, asArray, asObject, asString } from '../store';

/** Binds pods to the simulated nodes in turn, leaving out nodes that are cordoned or gone. What a pod asks of its node does not count. */
export class Scheduler {
  private readonly loop: ControlLoop;
  private readonly unbound = new Set<string>();
  private readonly stopListening: () => void;
  private turn = 0;

  constructor(
    private readonly access: ObjectAccess,
    private readonly nodeNames: readonly string[],
    private readonly clock: SimClock,
  ) {
    this.loop = new ControlLoop(clock, (key) => {
      this.reconcile(key);
    });
    this.stopListening = access.store.listen((storageId, { type, object }) => {
      if (storageId === PODS && type !== 'DELETED' && isUnbound(object)) this.loop.add(object.key);
      if (storageId === NODES) for (const key of this.unbound) this.loop.add(key);
    });
  }

  stop(): void {
    this.stopListening();
    this.loop.stop();
  }

  private reconcile(key: string): void {
    const pod = this.access.get(PODS, key);
    if (!pod || !isUnbound(pod) || !isActive(pod)) {
      this.unbound.delete(key);
      return;
    }
    const open = this.nodeNames.filter((name) => {
      const node = this.access.get(NODES, name);
      return node && specOf(node).unschedulable !== true;
    });
    const nodeName = open[this.turn++ % Math.max(1, open.length)];
    if (nodeName === undefined) this.keepWaiting(pod);
    else this.bind(pod, nodeName);
  }

  /** Straight into the store: a binding moves no generation and is nobody's field. */
  private bind(pod: StoredObject, nodeName: string): void {
    this.unbound.delete(pod.key);
    const spec = { ...specOf(pod), nodeName };
    this.access.store.put(PODS, { ...pod.object, spec, status: this.scheduled(pod, { status: 'True' }) });
  }

  private keepWaiting(pod: StoredObject): void {
    this.unbound.add(pod.key);
    if (conditionOf(pod, 'PodScheduled')?.reason === 'Unschedulable') return;
    const message = `0/${this.nodeNames.length} nodes are available.`;
    this.access.replaceStatus(PODS, pod, this.scheduled(pod, { status: 'False', reason: 'Unschedulable', message }));
  }

  private scheduled(pod: StoredObject, said: Record<string, string>) {
    const others = asArray(statusOf(pod).conditions)
      .map(asObject)
      .filter(({ type }) => type !== 'PodScheduled');
    const condition = { type: 'PodScheduled', ...said, lastTransitionTime: isoSeconds(this.clock.nowMs()) };
    return { ...statusOf(pod), conditions: [...others, condition] };
  }
}

function isUnbound(pod: StoredObject): boolean {
  const { nodeName, schedulerName = 'default-scheduler' } = specOf(pod);
  return asString(nodeName) === '' && schedulerName === 'default-scheduler';
}
