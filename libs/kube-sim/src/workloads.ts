import {
  ControlledObjects,
  DeploymentController,
  EndpointSliceController,
  NODES,
  ObjectAccess,
  type ObjectAccessParts,
  PODS,
  REPLICA_SETS,
  ReplicaSetController,
  StatefulSetController,
} from './controllers';
import { Kubelet, MemoryRuntime, type NodeSettings, PodEnvironments, type PodRuntime, Scheduler, buildNode } from './kubelet';
import { ClusterAddresses, ServiceListeners, type ServiceListenerSettings } from './services';
import { type SimClock, isoSeconds } from './sim-clock';

export interface WorkloadSettings {
  /** The nodes that pods are bound to, in turn. Default: one, called node-1. */
  readonly nodes?: readonly NodeSettings[];
  /** What runs the pods; it is closed when the server stops. Default: a MemoryRuntime on the server's clock. */
  readonly runtime?: PodRuntime;
  /** How Services are reached on this machine; only where the runtime's pods are. */
  readonly services?: ServiceListenerSettings;
}

/**
 * The half of a cluster that makes Deployments, StatefulSets and Services work: controllers, a scheduler and a kubelet.
 *
 * Its writes go through the API's rules and appear in watches as everybody's do. After stop() no timer is left and the
 * runtime is closed.
 */
export class Workloads {
  /** Only where pods are on this machine. */
  readonly services?: ServiceListeners;
  private readonly parts: readonly { stop(graceMs: number): void | Promise<void> }[];

  constructor(api: ObjectAccessParts, clock: SimClock, settings: WorkloadSettings) {
    const nodes = settings.nodes ?? [{ name: 'node-1' }];
    const nodeNames = nodes.map(({ name }) => name);
    const access = new ObjectAccess(api, 'kube-controller-manager');
    const kubeletAccess = new ObjectAccess(api, 'kubelet');
    const pods = new ControlledObjects(api.store.collection(PODS));
    const replicaSets = new ControlledObjects(api.store.collection(REPLICA_SETS));
    const runtime: PodRuntime = settings.runtime ?? new MemoryRuntime({ clock });
    if (runtime.network) this.services = new ServiceListeners(api.store, runtime.network, clock, settings.services ?? {});
    const environments = new PodEnvironments(kubeletAccess, this.services ?? new ClusterAddresses(api.store));
    this.parts = [
      pods,
      replicaSets,
      new DeploymentController(access, replicaSets, pods, clock),
      new ReplicaSetController(access, pods, clock),
      new StatefulSetController(access, pods, clock),
      new EndpointSliceController(access, clock),
      new Scheduler(access, nodeNames, clock),
      new Kubelet(kubeletAccess, runtime, environments, nodeNames, clock),
      ...(this.services ? [this.services] : []),
    ];
    nodes.forEach((node, index) => {
      kubeletAccess.createWithStatus(NODES, '', buildNode(node, index, isoSeconds(clock.nowMs())));
    });
  }

  /** Pods are asked to end and forced after the grace, which the Services stay for. */
  async stop(graceMs: number): Promise<void> {
    for (const part of this.parts) await part.stop(graceMs);
  }
}
