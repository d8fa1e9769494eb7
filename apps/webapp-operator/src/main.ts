import { parseArgs } from 'node:util';
import { ControllerBuilder, ControllerManager, Deployment, JsonLogger, KitMetrics, KubeClient, Service, SharedCache, systemClock } from '@elasti/operator-kit';
import { WebApp } from './webapp';
import { WebAppReconciler } from './webapp.reconciler';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { kubeconfig: { type: 'string' }, context: { type: 'string' } } });
  const logger = new JsonLogger();
  const metrics = new KitMetrics();
  const client = await KubeClient.fromKubeConfig({ path: values.kubeconfig, context: values.context, metrics });
  const manager = new ControllerManager({
    name: 'webapp-operator',
    client,
    caches: new SharedCache({ reader: client, clock: systemClock, logger, metrics }),
    logger,
    kitMetrics: metrics,
    leaderElection: { namespace: process.env.POD_NAMESPACE ?? 'default', name: 'webapp-operator' },
    probes: { port: 8081 },
    metrics: { port: 8080 },
  });
  ControllerBuilder.for(WebApp).withReconciler(new WebAppReconciler(systemClock)).owns(Deployment).owns(Service).withConcurrency(4).build(manager);
  await manager.runUntilSignal();
  await client.close();
}

void main();
