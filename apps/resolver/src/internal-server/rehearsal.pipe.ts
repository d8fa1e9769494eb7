import { maxRehearsalSubjects, type RehearsalRequest, type RehearsalSubject } from '@elasti/api';
import { HttpProblem } from '@elasti/operator-kit/program';
import { Injectable, type PipeTransform } from '@nestjs/common';

const example = '{"services":[{"namespace":"shop","service":"web","routes":[{"port":80,"resolverPort":20000}]}]}';
const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** One mistake is often in every entry. */
const toldMistakes = 10;

/** Makes a rehearsal of the text of a body. @throws HttpProblem 400 that names the wrong fields, 413 when there are too many services */
@Injectable()
export class RehearsalPipe implements PipeTransform<string | undefined, RehearsalRequest> {
  transform(text: string | undefined): RehearsalRequest {
    const { services } = parseObject(text ?? '');
    if (!Array.isArray(services)) throw new HttpProblem(400, { message: `services must be a list, as in ${example}` });
    if (services.length > maxRehearsalSubjects) {
      throw new HttpProblem(413, { message: `services has ${services.length} entries: ask for at most ${maxRehearsalSubjects} at once` });
    }
    const mistakes: string[] = [];
    const subjects = services.map((subject: unknown, index) => readSubject(subject, `services[${index}]`, mistakes));
    if (mistakes.length > 0) throw new HttpProblem(400, { message: mistakes.slice(0, toldMistakes).join('; ') });
    return { services: subjects };
  }
}

function readSubject(value: unknown, field: string, mistakes: string[]): RehearsalSubject {
  const { namespace, service, routes } = asRecord(value);
  if (!isName(namespace)) mistakes.push(`${field}.namespace must be the name of a namespace`);
  if (!isName(service)) mistakes.push(`${field}.service must be the name of a Service`);
  if (!Array.isArray(routes)) mistakes.push(`${field}.routes must be a list`);
  const read = (Array.isArray(routes) ? routes : []).map((route: unknown, index) => {
    const { port, resolverPort } = asRecord(route);
    for (const [name, number] of Object.entries({ port, resolverPort })) {
      if (!isPort(number)) mistakes.push(`${field}.routes[${index}].${name} must be a port from 1 to 65535`);
    }
    return { port: Number(port), resolverPort: Number(resolverPort) };
  });
  return { namespace: String(namespace), service: String(service), routes: read };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && dnsLabel.test(value);
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    throw new HttpProblem(400, { message: `the body must be JSON such as ${example}` });
  }
}
