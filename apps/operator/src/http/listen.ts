import { readBodiesAsText } from '@elasti/operator-kit/program';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { maxBodyBytes } from './body-limit';
import { HttpListeners, type ListenAddresses, type ListenOptions } from './http-listeners';

/** Starts an application that has HttpModule and opens its ports; `app.close()` closes them. */
export async function listen(app: NestExpressApplication, options: ListenOptions): Promise<ListenAddresses> {
  readBodiesAsText(app, { maxBodyBytes });
  await app.init();
  return app.get(HttpListeners).open(options);
}
