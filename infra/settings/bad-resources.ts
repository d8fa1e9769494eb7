import { isQualifiedName } from './bad-labels';
import { mebibytesBesideQueue } from './pod.settings';
import { amountOf } from './quantities';
import type { Settings } from './settings';

type Quantities = Readonly<Record<string, number | string>>;
type Resources = Readonly<{ requests: Quantities; limits: Quantities }>;

const mebibyte = 2 ** 20;
const ofContainers = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/;

/** Resources that the API server would refuse or the autoscaler miss, and a limit at which a resolver that holds what it may would be killed. */
export function badResources({ operator, resolver }: Settings): string[] {
  return [
    ...unknownNames('operator.resources', operator.resources),
    ...unknownNames('resolver.resources', resolver.resources),
    ...aboveLimits('operator.resources', operator.resources),
    ...aboveLimits('resolver.resources', resolver.resources),
    ...tooSmallForQueue(resolver),
    ...nothingToAimAt(resolver),
  ];
}

function unknownNames(field: string, resources: Resources): string[] {
  const known = 'cpu, memory, ephemeral-storage, hugepages-2Mi, or a name after a domain and /';
  return (['requests', 'limits'] as const).flatMap((part) =>
    Object.keys(resources[part])
      .filter((name) => !ofContainers.test(name) && !(name.includes('/') && isQualifiedName(name)))
      .map((name) => `${field}.${part}.${name} is no resource of a container: use ${known}`),
  );
}

function aboveLimits(field: string, { requests, limits }: Resources): string[] {
  return Object.entries(requests)
    .filter(([name, requested]) => amountOf(requested) > amountOf(limits[name] ?? requested))
    .map(([name]) => `${field}.requests.${name} must not be above ${field}.limits.${name}`);
}

function tooSmallForQueue({ queueMebibytes, resources: { limits } }: Settings['resolver']): string[] {
  const leastMebibytes = queueMebibytes + mebibytesBesideQueue;
  if (limits.memory === undefined || amountOf(limits.memory) >= leastMebibytes * mebibyte) return [];
  const away = 'raise it, or lower resolver.queueMebibytes';
  return [`resolver.resources.limits.memory must be at least ${leastMebibytes}Mi, as ${queueMebibytes}Mi may be held: ${away}`];
}

/** The API server takes a limit for the request where there is none. */
function nothingToAimAt({ autoscaling, resources: { requests, limits } }: Settings['resolver']): string[] {
  if (!autoscaling.enabled || amountOf(requests.cpu ?? limits.cpu ?? 0) > 0) return [];
  return ['resolver.resources.requests.cpu must be above 0, such as 100m: resolver.autoscaling aims at a share of it'];
}
