import { HttpProblem } from '@elasti/operator-kit/program';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { ServiceRef } from '../directory';

/** The service that `?namespace=&service=` names; `undefined` without either. @throws HttpProblem 400 when one of the two is missing */
export const ServiceQuery = createParamDecorator((_: unknown, context: ExecutionContext): ServiceRef | undefined => {
  const { url = '' } = context.switchToHttp().getRequest<IncomingMessage>();
  return parseServiceQuery(url);
});

export function parseServiceQuery(url: string): ServiceRef | undefined {
  const query = new URLSearchParams(url.split('?', 2)[1] ?? '');
  const [namespace, service] = [query.get('namespace') ?? '', query.get('service') ?? ''];
  if (namespace === '' && service === '') return undefined;
  if (namespace === '' || service === '') throw new HttpProblem(400, { message: 'both namespace and service are needed, or neither' });
  return { namespace, service };
}
