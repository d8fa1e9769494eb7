import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '../http';

/** The text of a body, nothing when there is none. @throws HttpProblem 415 when it is said to be anything but JSON */
export const TextBody = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const { body, headers } = context.switchToHttp().getRequest<IncomingMessage & { body?: unknown }>();
  if (typeof body === 'string') return body;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (hasBody) throw new HttpProblem(415, { message: 'the body must be JSON: send it with Content-Type: application/json' });
  return undefined;
});
