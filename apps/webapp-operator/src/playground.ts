import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KubeSim } from '@elasti/kube-sim';
import { CustomResourceDefinition, KubeClient } from '@elasti/operator-kit';
import { startOperator } from './start-operator';
import { WebApp } from './webapp';

/** `npm run start:webapp`: the operator on a cluster (`-- --kubeconfig F`), or on a simulated API with a sample when none is given. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { kubeconfig: { type: 'string' }, context: { type: 'string' } } });
  if (values.kubeconfig) {
    const app = await startOperator({ path: values.kubeconfig, context: values.context });
    app.enableShutdownHooks();
    return;
  }

  const sim = await KubeSim.start();
  const folder = await mkdtemp(join(tmpdir(), 'webapp-operator-'));
  const path = join(folder, 'kubeconfig');
  await writeFile(path, sim.kubeconfig());
  await addSample(sim.url);
  process.stdout.write(
    `A simulated Kubernetes API runs at ${sim.url}. It runs no pods, so the sample stays at WaitingForPods. In another terminal:\n` +
      `  kubectl --kubeconfig ${path} get webapps,deployments,services\n` +
      `  kubectl --kubeconfig ${path} scale webapp/hello --replicas=3\n` +
      `  kubectl --kubeconfig ${path} delete webapp/hello\nCtrl-C stops everything.\n`,
  );

  const app = await startOperator({ path });
  const stop = async () => {
    await app.close();
    await sim.stop();
    await rm(folder, { recursive: true });
  };
  process.once('SIGINT', () => void stop());
  process.once('SIGTERM', () => void stop());
}

async function addSample(server: string): Promise<void> {
  const client = KubeClient.forServer({ server });
  await client.create(CustomResourceDefinition, WebApp.crd());
  await client.create(WebApp, WebApp.create('hello', { image: 'web:1', replicas: 2, port: 8080 }, { namespace: 'default' }));
  await client.close();
}

void main();
