import type { ActivityReply, RehearsalSubject, RouteRehearsal, ServiceActivity } from '@elasti/api';
import { ResolverAnswerError } from './resolver.errors';

/** What a resolver says goes into conditions that people read. */
const maxProblemLength = 300;

/**
 * The routes of each subject, in the order asked.
 * @throws ResolverAnswerError, which names the first field that is not as the contract says
 */
export function parseRehearsalReply(body: string, subjects: readonly RehearsalSubject[]): RouteRehearsal[][] {
  const services = listOf(parseRecord(body), 'services', 'services');
  if (services.length !== subjects.length)
    throw new ResolverAnswerError(`services must have ${subjects.length} entries, one for each asked`);
  return subjects.map((subject, index) => parseSubject(services[index], subject, `services[${index}]`));
}

/** @throws ResolverAnswerError */
export function parseActivityReply(body: string): ActivityReply {
  const reply = parseRecord(body);
  const services = listOf(reply, 'services', 'services').map((entry, index) => parseActivity(entry, `services[${index}]`));
  return { services, ...(reply.countedForMs !== undefined && { countedForMs: parseSpanMs(reply.countedForMs, 'countedForMs') }) };
}

function parseSubject(entry: unknown, subject: RehearsalSubject, at: string): RouteRehearsal[] {
  const service = asRecord(entry, at);
  expectSame(service.namespace, subject.namespace, `${at}.namespace`);
  expectSame(service.service, subject.service, `${at}.service`);
  const routes = listOf(service, 'routes', `${at}.routes`);
  if (routes.length !== subject.routes.length) {
    throw new ResolverAnswerError(`${at}.routes must have ${subject.routes.length} entries, one for each asked`);
  }
  return subject.routes.map((route, index) => parseRoute(routes[index], route, `${at}.routes[${index}]`));
}

function parseRoute(entry: unknown, asked: RehearsalSubject['routes'][number], at: string): RouteRehearsal {
  const { port, resolverPort, listening, connects, problem } = asRecord(entry, at);
  expectSame(port, asked.port, `${at}.port`);
  expectSame(resolverPort, asked.resolverPort, `${at}.resolverPort`);
  if (typeof listening !== 'boolean') throw new ResolverAnswerError(`${at}.listening must be true or false`);
  if (connects !== 'yes' && connects !== 'no' && connects !== 'no pod') {
    throw new ResolverAnswerError(`${at}.connects must be "yes", "no" or "no pod"`);
  }
  if (problem !== undefined && typeof problem !== 'string') throw new ResolverAnswerError(`${at}.problem must be a text`);
  return { ...asked, listening, connects, ...(problem && { problem: printable(problem) }) };
}

function parseActivity(entry: unknown, at: string): ServiceActivity {
  const { namespace, service, open, lastRequestAgoMs } = asRecord(entry, at);
  if (typeof namespace !== 'string' || namespace === '') throw new ResolverAnswerError(`${at}.namespace must be a name`);
  if (typeof service !== 'string' || service === '') throw new ResolverAnswerError(`${at}.service must be a name`);
  if (!Number.isSafeInteger(open) || Number(open) < 0) throw new ResolverAnswerError(`${at}.open must be a whole number from 0`);
  if (lastRequestAgoMs === undefined) return { namespace, service, open: Number(open) };
  return { namespace, service, open: Number(open), lastRequestAgoMs: parseSpanMs(lastRequestAgoMs, `${at}.lastRequestAgoMs`) };
}

function parseSpanMs(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new ResolverAnswerError(`${at} must be a number from 0`);
}

function parseRecord(body: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new ResolverAnswerError('the body must be JSON');
  }
  return asRecord(value, 'the body');
}

function asRecord(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ResolverAnswerError(`${at} must be an object`);
  return value as Record<string, unknown>;
}

function listOf(record: Record<string, unknown>, field: string, at: string): unknown[] {
  const value = record[field];
  if (!Array.isArray(value)) throw new ResolverAnswerError(`${at} must be a list`);
  return value;
}

function expectSame(value: unknown, asked: string | number, at: string): void {
  if (value !== asked) throw new ResolverAnswerError(`${at} must be ${asked}, as asked`);
}

function printable(text: string): string {
  return text.replaceAll(/\p{C}+/gu, ' ').slice(0, maxProblemLength);
}
