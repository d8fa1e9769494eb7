import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { IncomingMessage } from 'node:http';
import { HttpProblem } from './http-problem';

/** The text of a body, nothing when there is none. @throws HttpProblem 415 when it is said to be anything but JSON */
export const TextBody = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const { body, headers } = context.switchToHttp().getRequest<IncomingMessage & { body?: unknown }>();
  if (typeof body === 'string') return body;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (hasBody) throw new HttpProblem(415, { message: 'the body must be JSON: send it with Content-Type: application/json' });
  return undefined;
});

/** For `NestFactory.create`: bodies are read as `readBodiesAsText` says, by no parser of Nest's. */
export const applicationOptions = { bodyParser: false } as const;

/** Bodies up to the limit arrive as text, so that whoever reads one says in its own words what is wrong with it. To be called before `init`. */
export function readBodiesAsText(app: NestExpressApplication, { maxBodyBytes }: { readonly maxBodyBytes: number }): void {
  app.useBodyParser('text', { limit: maxBodyBytes, inflate: false, type: isJsonOrUnnamed });
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
}

function isJsonOrUnnamed({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'];
  return type === undefined || /^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type.trim());
}
