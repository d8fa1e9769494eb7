import { type JsonObject } from '../store';

export interface NodeSettings {
  readonly name: string;
  /** The value of topology.kubernetes.io/zone, which endpoints carry too. Default: none. */
  readonly zone?: string;
}

export const nodeAddress = (index: number): string => `10.64.${(index + 1) >> 8}.${(index + 1) & 255}`;

/** A Node that is ready and has room for everything. */
export function buildNode({ name, zone }: NodeSettings, index: number, nowIso: string): JsonObject {
  const amounts = { cpu: '64', memory: '256Gi', pods: '100000', 'ephemeral-storage': '1Ti' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
      },
    },
    spec: {},
    status: {
      addresses: [
        { type: 'InternalIP', address: nodeAddress(index) },
        { type: 'Hostname', address: name },
      ],
      capacity: amounts,
      allocatable: amounts,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
          lastHeartbeatTime: nowIso,
          lastTransitionTime: nowIso,
        },
      ],
      nodeInfo: { operatingSystem: 'linux', kubeletVersion: 'v1.36.0', containerRuntimeVersion: 'kube-sim://1' },
    },
  };
}
