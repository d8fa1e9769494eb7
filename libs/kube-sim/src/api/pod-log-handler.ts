import { type LoggedLine, type PodLog } from '../pod-log';
import { type ObjectStore, asArray, asObject, asString } from '../store';
import { badRequest, notFound, pathMethodNotAllowed } from './api.errors';
import { isTrue } from './request-info';
import { type Exchange } from './resource-handler';

/** A follower who reads more slowly than the pod writes is let go: what it has not read would fill the memory. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;

const PODS = { group: '', plural: 'pods' };

/** Answers what `kubectl logs` asks, of what is kept of a pod's output. */
export class PodLogHandler {
  constructor(
    private readonly store: ObjectStore,
    private readonly logOf: (uid: string) => PodLog | undefined,
  ) {}

  handle({ request, response }: Exchange): void {
    if (request.verb !== 'get') throw pathMethodNotAllowed();
    const pod = this.store.get('/pods', request.namespace, request.name);
    if (!pod) throw notFound(PODS, request.name);
    const [first, ...others] = asArray(asObject(pod.object.spec).containers).map((container) => asString(asObject(container).name));
    const { query } = request;
    const container = query.get('container') ?? first ?? '';
    if (container !== first)
      throw badRequest(
        others.includes(container)
          ? `container ${container} of pod ${pod.name} does not run: only the first container of a pod does`
          : `container ${container} is not valid for pod ${pod.name}`,
      );
    const log = this.logOf(pod.uid);
    if (!log || log.starts === 0) throw badRequest(`container "${container}" in pod "${pod.name}" is waiting to start: ContainerCreating`);
    if (isTrue(query.get('previous')) && log.starts < 2)
      throw badRequest(`previous terminated container "${container}" in pod "${pod.name}" not found`);

    response.writeHead(200, { 'Content-Type': 'text/plain' });
    const write = (line: LoggedLine): void => {
      response.write(textOf(line, query));
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
    };
    linesAsked(log, query).forEach(write);
    if (!isTrue(query.get('follow')) || isTrue(query.get('previous'))) {
      response.end();
      return;
    }
    // Lines go out with the headers also when there is none yet.
    response.flushHeaders();
    const stopFollowing = log.follow(write, () => response.end());
    response.once('close', stopFollowing);
  }
}

function linesAsked(log: PodLog, query: URLSearchParams): readonly LoggedLine[] {
  const start = log.starts - (isTrue(query.get('previous')) ? 1 : 0);
  const lines = log.lines().filter((line) => line.start === start);
  const tail = query.get('tailLines');
  if (tail === null) return lines;
  const count = Number(tail);
  if (!Number.isInteger(count) || count < 0) throw badRequest(`tailLines: Invalid value: ${JSON.stringify(tail)}: must be 0 or more`);
  return count === 0 ? [] : lines.slice(-count);
}

const textOf = ({ atMs, text }: LoggedLine, query: URLSearchParams): string =>
  `${isTrue(query.get('timestamps')) ? `${new Date(atMs).toISOString()} ` : ''}${text}\n`;
