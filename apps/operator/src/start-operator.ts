import type { KubeConfigOptions, Logger } from '@elasti/operator-kit';
import { applicationOptions, NestLogger } from '@elasti/operator-kit/program';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { listen } from './http';
import type { OperatorConfig } from './operator.config';
import { OperatorModule } from './operator.module';

/** The running operator; `close` stops it. Everything on the operator's port, the probes on a port of their own as well. */
export async function startOperator(
  config: OperatorConfig,
  logger: Logger,
  kubeconfig: KubeConfigOptions = {},
): Promise<NestExpressApplication> {
  const module = OperatorModule.forRoot(config, { client: kubeconfig, logger });
  const app = await NestFactory.create<NestExpressApplication>(module, { ...applicationOptions, logger: new NestLogger(logger) });
  const { port, probePort, host } = config.operator;
  await listen(app, { port, probePort, host });
  return app;
}
