import { listDemoPorts, listInstallationPorts, type NetworkPlan, type PlannedPort } from './manifests';
import { type ClusterOptions, formatCommand, otherPort, type SimulatorOptions } from './options';
import type { NeededPort } from './system';

/** Everything that must be free before the start, each with what to do when it is not. */
export function listNeededPorts(options: SimulatorOptions | ClusterOptions, plan: NetworkPlan): NeededPort[] {
  const { port, on } = options;
  const api: PlannedPort = { host: '127.0.0.1', port, what: 'the simulated API server', scope: 'address', remedy: 'other-port' };
  const demo = on === 'simulator' ? listDemoPorts(plan) : [];
  return [api, ...listInstallationPorts(plan), ...demo].map(({ remedy, ...needed }) => ({ ...needed, wayOut: wayOutOf(remedy, options) }));
}

function wayOutOf(remedy: PlannedPort['remedy'], options: SimulatorOptions | ClusterOptions): string | undefined {
  switch (remedy) {
    case 'other-port':
      return `choose another with \`${formatCommand(options, { port: otherPort(options.port) })}\``;
    case 'other-network':
      return `use \`${formatCommand(options, { network: 'ports' })}\``;
    case 'none':
      return undefined;
  }
}
