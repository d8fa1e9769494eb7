import type { NestExpressApplication } from '@nestjs/platform-express';
import type { IncomingMessage } from 'node:http';
import { maxBodyBytes } from './body-limit';
import { HttpListeners, type ListenAddresses, type ListenOptions } from './http-listeners';

/** For `NestFactory.create`: bodies are read as `listen` says, by no parser of Nest's. */
export const applicationOptions = { bodyParser: false } as const;

/**
 * Starts an application that has HttpModule and opens its ports; `app.close()` closes them.
 *
 * Bodies up to the limit arrive as text, so that whoever reads one says in its own words what is wrong with it.
 */
export async function listen(app: NestExpressApplication, options: ListenOptions): Promise<ListenAddresses> {
  app.useBodyParser('text', { limit: maxBodyBytes, inflate: false, type: isJsonOrUnnamed });
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  await app.init();
  return app.get(HttpListeners).open(options);
}

function isJsonOrUnnamed({ headers }: IncomingMessage): boolean {
  const type = headers['content-type'];
  return type === undefined || /^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type.trim());
}
