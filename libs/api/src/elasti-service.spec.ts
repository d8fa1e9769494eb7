import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from '@elasti/operator-kit';
import { ElastiService } from './elasti-service';

/** As a user of KubeElasti has it in a cluster, with the old plural kind and free trigger metadata. */
const existing = {
  apiVersion: 'elasti.truefoundry.com/v1alpha1',
  kind: 'ElastiService',
  metadata: { name: 'shop', namespace: 'shop' },
  spec: {
    minTargetReplicas: 1,
    service: 'web',
    cooldownPeriod: 5,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'deployments', name: 'web' },
    triggers: [
      {
        type: 'prometheus',
        metadata: { query: 'sum(rate(requests[1m])) or vector(0)', serverAddress: 'http://prometheus:9090', threshold: '0.5' },
      },
    ],
    autoscaler: { name: 'web', type: 'keda' },
    enabledPeriod: { schedule: '0 8 * * 1-5', duration: '10h' },
    probeResponse: [{ path: { type: 'Exact', value: '/healthz' }, method: 'GET', response: { status: 200, body: 'ok' } }],
  },
};

/** Every field that a person may write, as `a.b[].c`. */
function leavesOf(schema: JsonSchema, path = ''): string[] {
  const inner = schema.type === 'array' ? (schema.items ?? {}) : schema;
  const here = schema.type === 'array' ? `${path}[]` : path;
  if (!inner.properties) return [here];
  return Object.entries(inner.properties).flatMap(([name, part]) => leavesOf(part, here === '' ? name : `${here}.${name}`));
}

describe('ElastiService', () => {
  it('is described by the README, field by field', () => {
    const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
    const { spec = {} } = ElastiService.crd().spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};

    expect(leavesOf(spec).filter((field) => !readme.includes(`\`${field}\``))).toEqual([]);
  });

  it('accepts an object of KubeElasti unchanged', () => {
    expect(ElastiService.validate(existing)).toEqual([]);
    expect(ElastiService.withDefaults(structuredClone(existing) as ElastiService).spec).toMatchObject(existing.spec);
  });

  it.each(['0 8 * * 1-5', ' 0\t8 * *  1-5 ', '@daily'])('takes the schedule %j', (schedule) => {
    const spec = { ...existing.spec, enabledPeriod: { schedule, duration: '10h' } };

    expect(ElastiService.validate({ ...existing, spec })).toEqual([]);
  });

  it('fills in the defaults of the contract', () => {
    const { minTargetReplicas, cooldownPeriod, mode } = ElastiService.withDefaults(
      ElastiService.create('shop', { service: 'web', scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } }),
    ).spec;

    expect({ minTargetReplicas, cooldownPeriod, mode }).toEqual({ minTargetReplicas: 1, cooldownPeriod: 900, mode: 'Active' });
  });

  it.each([
    ['minTargetReplicas', 0],
    ['cooldownPeriod', 604801],
    ['service', ''],
    ['probeResponse', Array.from({ length: 33 }, () => ({ response: { status: 200 } }))],
    ['autoscaler', { type: 'cron', name: 'web' }],
  ])('refuses a %s outside its limits, naming it', (field, value) => {
    const problems = ElastiService.validate({ ...existing, spec: { ...existing.spec, [field]: value } });

    expect(problems.map((problem) => problem.field).join()).toContain(`spec.${field}`);
  });
});
