import { JsonLogger, type KubeConfigOptions, type Logger } from '@elasti/operator-kit';
import { KitLogger } from '@elasti/operator-kit/nest';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { applicationOptions, listen } from './http';
import type { OperatorConfig } from './operator.config';
import { OperatorModule } from './operator.module';

/** The running operator; `close` stops it. Everything but the probes on the operator's port, the probes on both. */
export async function startOperator(
  config: OperatorConfig,
  { kubeconfig = {}, logger = new JsonLogger() }: { kubeconfig?: KubeConfigOptions; logger?: Logger } = {},
): Promise<NestExpressApplication> {
  const module = OperatorModule.forRoot(config, { client: kubeconfig, logger });
  const app = await NestFactory.create<NestExpressApplication>(module, { ...applicationOptions, logger: new KitLogger(logger) });
  await listen(app, { port: config.operator.port, probePort: config.operator.probePort });
  return app;
}
