import { JsonLogger, type KubeConfigOptions } from '@elasti/operator-kit';
import { KitLogger } from '@elasti/operator-kit/nest';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WebAppOperatorModule } from './webapp-operator.module';

/** The running operator; `close` stops it. Probes on 8081, metrics on 8080, one leader among all replicas of the namespace. */
export function startOperator(kubeconfig: KubeConfigOptions): Promise<INestApplicationContext> {
  const logger = new JsonLogger();
  const module = WebAppOperatorModule.forRoot({
    name: 'webapp-operator',
    client: kubeconfig,
    logger,
    leaderElection: { namespace: process.env.POD_NAMESPACE ?? 'default', name: 'webapp-operator' },
    probes: { port: 8081 },
    metrics: { port: 8080 },
  });
  return NestFactory.createApplicationContext(module, { logger: new KitLogger(logger) });
}
