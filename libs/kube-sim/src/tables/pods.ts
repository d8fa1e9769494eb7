import { at, has, isObject, listAt, objectAt, textAt } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import { ageColumn, nameColumn, numberAt, orNone, text, wide } from './columns';
import type { Column } from './columns';
import { ageOf } from './human-duration';

export const podColumns: readonly Column[] = [
  nameColumn,
  text('Ready', (pod) => `${containersOf(pod).filter(isReady).length}/${listAt(pod, 'spec', 'containers').length}`),
  text('Status', podStatus),
  text('Restarts', restarts),
  ageColumn,
  wide(text('IP', (pod) => orNone(textAt(pod, 'status', 'podIP')))),
  wide(text('Node', (pod) => orNone(textAt(pod, 'spec', 'nodeName')))),
  wide(text('Nominated Node', (pod) => orNone(textAt(pod, 'status', 'nominatedNodeName')))),
  wide(text('Readiness Gates', readinessGates)),
];

function containersOf(pod: JsonObject): JsonObject[] {
  return listAt(pod, 'status', 'containerStatuses').filter(isObject);
}

function isReady(status: JsonObject): boolean {
  return status.ready === true && objectAt(status, 'state', 'running') !== undefined;
}

function podStatus(pod: JsonObject): string {
  const phase = textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase') || 'Unknown';
  const initializing = initStatus(pod);
  const status = initializing ?? containerStatus(pod, phase);
  if (!has(objectAt(pod, 'metadata') ?? {}, 'deletionTimestamp')) return status;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase')) ? status : 'Terminating';
}

function initStatus(pod: JsonObject): string | undefined {
  const statuses = listAt(pod, 'status', 'initContainerStatuses').filter(isObject);
  const total = listAt(pod, 'spec', 'initContainers').length;
  for (const [index, status] of statuses.entries()) {
    const terminated = objectAt(status, 'state', 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (status.started === true) continue;
    if (terminated !== undefined) return `Init:${terminationReason(terminated)}`;
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
  }
  return undefined;
}

function containerStatus(pod: JsonObject, phase: string): string {
  const statuses = containersOf(pod);
  // The first container's word counts most, so it is looked at last.
  const reason = statuses.toReversed().reduce((current, status) => reasonOf(status) ?? current, phase);
  const isRunning = statuses.some(isReady);
  if (reason !== 'Completed' || !isRunning) return reason;
  const ready = listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );
  return ready ? 'Running' : 'NotReady';
}

function reasonOf(status: JsonObject): string | undefined {
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  if (waiting !== '') return waiting;
  const terminated = objectAt(status, 'state', 'terminated');
  return terminated === undefined ? undefined : terminationReason(terminated);
}

function terminationReason(terminated: JsonObject): string {
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, 'exitCode')}`;
}

function restarts(pod: JsonObject, nowMs: number): JsonValue {
  const statuses = containersOf(pod);
  const count = statuses.reduce((sum, status) => sum + numberAt(status, 'restartCount'), 0);
  const ends = statuses.map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt')).filter((time) => time !== '');
  const last = ends.toSorted().at(-1);
  return count === 0 || last === undefined ? String(count) : `${count} (${ageOf(last, nowMs)} ago)`;
}

function readinessGates(pod: JsonObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates').map((gate) => textAt(gate, 'conditionType'));
  if (gates.length === 0) return '<none>';
  const met = gates.filter((gate) =>
    listAt(pod, 'status', 'conditions').some((condition) => textAt(condition, 'type') === gate && at(condition, 'status') === 'True'),
  );
  return `${met.length}/${gates.length}`;
}
