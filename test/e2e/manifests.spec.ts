import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@elasti/operator-kit';
import { applyYaml, kubectl } from './kubectl';
import { stubCrd } from './stub-crd';
import { synthesizedObjects, synthesizeTo } from './synthesized';

/** What the API server makes of the manifests of several settings files: it checks them as it would to install them, and keeps nothing. */
const root = join(__dirname, '../..');
const settingsFiles = [
  'infra/elasti.settings.yaml',
  'test/e2e/settings/everything.yaml',
  'test/e2e/settings/namespaced.yaml',
  'test/e2e/settings/bare.yaml',
];
const monitoringCrds = ['ServiceMonitor', 'PrometheusRule'].map((kind) => stubCrd('monitoring.coreos.com', kind));
const madeNamespaces = new Set<string>();
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'elasti-manifests-'));
  await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: monitoringCrds }));
  for (const { metadata } of monitoringCrds) await kubectl('wait', '--for=condition=Established', `crd/${metadata.name}`, '--timeout=30s');
}, 60_000);

afterAll(async () => {
  await kubectl('delete', 'namespace', ...madeNamespaces, '--ignore-not-found', '--timeout=60s');
  for (const { metadata } of monitoringCrds) await kubectl('delete', 'crd', metadata.name ?? '', '--ignore-not-found');
  rmSync(folder, { recursive: true });
}, 90_000);

/** A dry run does not even keep the namespaces that it would need. */
async function makeNamespaces(objects: readonly KubeObject[]): Promise<void> {
  const there = new Set((await kubectl('get', 'namespaces', '-o', 'jsonpath={.items[*].metadata.name}')).split(' '));
  const needed = objects.flatMap(({ metadata }) => metadata.namespace ?? []);
  for (const name of new Set(needed)) {
    if (there.has(name)) continue;
    madeNamespaces.add(name);
    await kubectl('create', 'namespace', name);
  }
}

describe('the synthesized manifests', () => {
  jest.setTimeout(120_000);

  it.each(settingsFiles)('of %s are taken by the API server as they are', async (file) => {
    const out = join(folder, file.replaceAll('/', '-'));
    await synthesizeTo(out, join(root, file));
    const objects = synthesizedObjects(out);
    await makeNamespaces(objects);

    const taken = await kubectl('apply', '--dry-run=server', '--validate=strict', '-o', 'name', '-f', out);

    expect(taken.trim().split('\n')).toHaveLength(objects.length);
  });
});
