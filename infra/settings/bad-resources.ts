import { mebibytesBesideQueue } from './pod.settings';
import { amountOf } from './quantities';
import type { Settings } from './settings';

type Quantities = Readonly<Record<string, number | string>>;
type Resources = Readonly<{ requests: Quantities; limits: Quantities }>;

const mebibyte = 2 ** 20;

/** Requests that the API server would refuse, and a limit at which a resolver that holds what it may would be killed. */
export function badResources({ operator, resolver }: Settings): string[] {
  return [
    ...aboveLimits('operator.resources', operator.resources),
    ...aboveLimits('resolver.resources', resolver.resources),
    ...tooSmallForQueue(resolver),
  ];
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
