import { applyYaml, kubectl } from '../kubectl';
import type { Address } from '../resolver/caller';

const image = process.env.PROMETHEUS_IMAGE ?? 'docker.io/prom/prometheus';
const port = 9090;

/** A Prometheus in the cluster that scrapes these addresses every second, and itself under the label that triggers look for by default. */
export async function startPrometheus(namespace: string, scraped: Readonly<Record<string, Address>>): Promise<{ serverAddress: string }> {
  const name = 'prometheus';
  const metadata = { name, namespace, labels: { app: name } };
  const readinessProbe = { httpGet: { path: '/-/ready', port }, periodSeconds: 1 };
  const container = {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    args: ['--config.file=/config/prometheus.json', '--storage.tsdb.path=/data'],
    readinessProbe,
    volumeMounts: ['config', 'data'].map((volume) => ({ name: volume, mountPath: `/${volume}` })),
  };
  const volumes = [
    { name: 'config', configMap: { name } },
    { name: 'data', emptyDir: {} },
  ];
  const items = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'prometheus.json': JSON.stringify(configOf(scraped)) } },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container], volumes, securityContext: { fsGroup: 65534 } } },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: name }, ports: [{ port }] } },
  ];
  await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  await kubectl('wait', '--for=condition=Ready', `pod/${name}`, '-n', namespace, '--timeout=60s');
  return { serverAddress: `http://${name}.${namespace}.svc:${port}` };
}

/** JSON, which is YAML too. */
function configOf(scraped: Readonly<Record<string, Address>>): object {
  const jobs = Object.entries(scraped).map(([job, address]) => ({
    job_name: job,
    static_configs: [{ targets: [`${address.host}:${address.port}`] }],
  }));
  const itself = { job_name: 'prometheus', static_configs: [{ targets: [`localhost:${port}`], labels: { container: 'prometheus' } }] };
  return { global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' }, scrape_configs: [itself, ...jobs] };
}
