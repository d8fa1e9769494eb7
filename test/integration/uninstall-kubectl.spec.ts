import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ElastiService } from '@elasti/api';
import { KubeSim } from '@elasti/kube-sim';
import { installedKubectl } from '../../infra/uninstall/kubectl';
import { KubectlCluster } from '../../infra/uninstall/kubectl-cluster';

// Each case starts kubectl several times.
jest.setTimeout(60_000);

const isThere = spawnSync('kubectl', ['version', '--client']).status === 0;

const aDeployment = (name: string, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'example.com/web:1' }] } },
  },
});

const anElastiService = (name: string, kind = 'Deployment') => ({
  apiVersion: 'elasti.truefoundry.com/v1alpha1',
  kind: 'ElastiService',
  metadata: { namespace: 'default', name },
  spec: { service: name, scaleTargetRef: { apiVersion: 'apps/v1', kind, name } },
});

(isThere ? describe : describe.skip)('KubectlCluster with the kubectl of this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'elasti-uninstall-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const kubectl = installedKubectl(['--kubeconfig', kubeconfig, '--cache-dir', join(folder, 'cache')]);
  const cluster = new KubectlCluster(kubectl);
  const create = (...items: object[]) =>
    kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  let sim: KubeSim;

  beforeAll(async () => {
    sim = await KubeSim.start({ tls: 'self-signed' });
    writeFileSync(kubeconfig, sim.kubeconfig());
  });

  afterAll(async () => {
    await sim.stop();
    rmSync(folder, { recursive: true });
  });

  it('finds ElastiServices, and none before their CRD is there', async () => {
    const before = await cluster.elastiServices([]);
    await create(ElastiService.crd());
    await create(anElastiService('web'));

    expect(before).toEqual([]);
    expect(await cluster.elastiServices([])).toMatchObject([{ metadata: { name: 'web' } }]);
    expect(await cluster.elastiServices(['kube-system'])).toEqual([]);
  });

  it('sees how targets stand, one or many', async () => {
    await create(aDeployment('down', 0), aDeployment('starting', 1));
    const services = [anElastiService('down'), anElastiService('starting'), anElastiService('gone'), anElastiService('odd', 'Oddity')];

    const one = await cluster.targetsOf(services.slice(0, 1));
    const many = await cluster.targetsOf(services);

    expect([...one, ...many].map(({ state }) => state)).toEqual(['at zero', 'at zero', 'not ready', 'back', 'back']);
  });

  it('sees what is left in a namespace', async () => {
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quiet' } }, aDeployment('web', 1));

    expect(await cluster.workloadsIn('quiet')).toEqual([]);
    expect(await cluster.workloadsIn('default')).toContain('deployment.apps/web');
  });
});
