import { ElastiService } from '@elasti/api';
import { KubeSim, ProcessRuntime } from '@elasti/kube-sim';
import { CustomResourceDefinition, KubeClient } from '@elasti/operator-kit';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildInstallation, type InstallationSettings, type Manifest, type NetworkPlan } from '../manifests';
import type { PodNetwork } from '../options';

export interface InstalledSimulatorSettings {
  /** Of the repository: its programs must be built. */
  readonly root: string;
  /** For the kubeconfig; nothing else is written anywhere. */
  readonly folder: string;
  /** Of the API server; 0: any. */
  readonly port: number;
  readonly network: PodNetwork;
  readonly plan: NetworkPlan;
  /** What operator and resolver work on. Default: the simulated cluster that they run in. */
  readonly elsewhere?: { readonly kubeconfig: string; readonly env: Readonly<Record<string, string>> };
  readonly operatorEnv?: InstallationSettings['operatorEnv'];
  readonly resolverEnv?: InstallationSettings['resolverEnv'];
  /** Hears every line that operator, resolver and services write. */
  readonly onOutput?: (pod: string, line: string) => void;
  /** Hears of a Service whose port cannot be had. */
  readonly onRefused?: (message: string) => void;
}

/**
 * A simulated cluster with Elasti installed: the operator and the resolver that the build has made run as its pods, unchanged.
 *
 * After `stop`, and after the end of this process however it comes, none of its processes and ports is left.
 */
export class InstalledSimulator {
  private constructor(
    private readonly sim: KubeSim,
    readonly client: KubeClient,
    /** For kubectl and everybody else. */
    readonly kubeconfig: string,
  ) {}

  /** @throws the error of the operating system when the API server's port cannot be had; then nothing is left of it */
  static async start(settings: InstalledSimulatorSettings): Promise<InstalledSimulator> {
    const { root, folder, port, network, plan, elsewhere, onOutput, onRefused } = settings;
    const runtime = new ProcessRuntime({
      network,
      podRange: plan.podRange,
      cwd: root,
      env: elsewhere?.env,
      onOutput: ({ name }, line) => onOutput?.(name, line),
    });
    const services = {
      range: plan.serviceRange,
      onRefused: (refused: { namespace: string; name: string; port: number; error: Error }) =>
        onRefused?.(`port ${refused.port} of Service ${refused.namespace}/${refused.name} cannot be had: ${refused.error.message}`),
    };
    const sim = await KubeSim.start({ port, workloads: { runtime, services } });
    const kubeconfig = join(folder, 'kubeconfig');
    const simulator = new InstalledSimulator(sim, KubeClient.forServer({ server: sim.url }), kubeconfig);
    try {
      await writeFile(kubeconfig, sim.kubeconfig(), { mode: 0o600 });
      const installation = buildInstallation({
        ...settings,
        kubeconfig: elsewhere?.kubeconfig ?? kubeconfig,
        pace: elsewhere ? 'usual' : 'quick',
      });
      await simulator.add([[CustomResourceDefinition, ElastiService.crd()], ...installation]);
      return simulator;
    } catch (error) {
      await simulator.stop();
      throw error;
    }
  }

  get apiUrl(): string {
    return this.sim.url;
  }

  async add(manifests: readonly Manifest[]): Promise<void> {
    for (const [resource, object] of manifests) await this.client.create(resource, object, { fieldManager: 'playground' });
  }

  /** Where a Service is reached, as `host:port`; undefined while it is not. */
  addressOf(namespace: string, service: string, port?: number | string): string | undefined {
    const address = this.sim.serviceAddress(namespace, service, port);
    return address && `${address.host}:${address.port}`;
  }

  /** Without a grace nobody is asked to end: what operator and resolver would put in order on the simulated cluster is gone with it. */
  async stop(graceMs = 0): Promise<void> {
    await this.client.close();
    await this.sim.stop(graceMs);
  }
}
