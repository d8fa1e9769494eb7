import type { KubeConfigOptions, Logger } from '@elasti/operator-kit';
import type { OperatorKitModuleOptions } from '@elasti/operator-kit/nest';
import { applicationOptions, NestLogger, readBodiesAsText } from '@elasti/operator-kit/program';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { InternalServer, maxBodyBytes } from './internal-server';
import type { ResolverConfig } from './resolver.config';
import { ResolverModule } from './resolver.module';

/** The running resolver; `close` drains and stops it. Route ports open as routes are heard of, the internal port is open when this is done. */
export async function startResolver(
  config: ResolverConfig,
  logger: Logger,
  kit: Omit<OperatorKitModuleOptions, 'name' | 'logger' | 'client'> & {
    client?: OperatorKitModuleOptions['client'] | KubeConfigOptions;
  } = {},
): Promise<NestExpressApplication> {
  const module = ResolverModule.forRoot(config, { ...kit, logger });
  const app = await NestFactory.create<NestExpressApplication>(module, {
    ...applicationOptions,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  readBodiesAsText(app, { maxBodyBytes });
  await app.init();
  await app.get(InternalServer).open();
  if (config.idleVariables.length > 0) logger.info('settings have nothing left to do', { variables: config.idleVariables });
  return app;
}
