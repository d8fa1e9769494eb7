import fc from 'fast-check';
import { CustomResourceDefinition } from '@elasti/operator-kit';
import type { KubeStatus } from '@elasti/operator-kit';
import { countedIn, everythingIn, specs } from './crd-agreement.fixture';
import { useServer } from './harness';

const seed = Number(process.env.CRD_AGREEMENT_SEED ?? 20_260_101);
const count = Number(process.env.CRD_AGREEMENT_COUNT ?? 400);
const inFlight = 8;

describe(`the validator and the API server, on ${count} random objects (seed ${seed})`, () => {
  const server = useServer();
  const Everything = everythingIn(server.group);

  beforeAll(async () => {
    await server.installCrd({ ...Everything.crd() });
  });

  it('refuse the same objects at the same fields', async () => {
    const samples = fc.sample(specs, { seed, numRuns: count });
    const disagreements: unknown[] = [];
    let accepted = 0;

    for (let start = 0; start < samples.length; start += inFlight) {
      const answers = await Promise.all(samples.slice(start, start + inFlight).map(compare));
      accepted += answers.filter(({ served }) => served.length === 0).length;
      disagreements.push(...answers.filter(({ ours, served }) => ours.join() !== served.join()));
    }

    expect(disagreements).toEqual([]);
    expect(accepted).toBeGreaterThan(count / 5);
    expect(accepted).toBeLessThan((count * 4) / 5);
  });

  it('fill in the same defaults', async () => {
    const object = Everything.create('defaults', { text: 'ab', main: { name: 'http', number: 80 }, ports: [{ name: 'a', number: 1 }] });

    const { body } = await server.docs(Everything.definition).create({ ...object }, { dryRun: 'All' });

    expect(body.spec).toEqual(Everything.withDefaults(object).spec);
  });

  async function compare(spec: unknown) {
    const draft = { metadata: { name: 'random' }, spec };
    const collection = server.docs(Everything.definition);
    const { code, status } = await collection.create(draft, { dryRun: 'All' });
    const served = code < 300 ? [] : refusedFields(status);
    const ours = Everything.validate(collection.draft(draft)).map(({ field }) => field);
    return { spec: JSON.stringify(spec), ours: sorted(ours), served: sorted(served), status: status.message };
  }
});

describe('a manifest made from a class', () => {
  const server = useServer();
  const Counted = countedIn(server.group);
  const crds = server.docs(CustomResourceDefinition);

  it('is stored as it was sent, with every option', async () => {
    const manifest = Counted.crd();

    await server.installCrd({ ...manifest });

    const { spec } = await crds.read(manifest.metadata.name ?? '');
    expect(spec).toEqual({ ...manifest.spec, conversion: { strategy: 'None' } });
  });

  it('serves the status and scale subresources it promises', async () => {
    const counted = server.docs(Counted.definition);
    await counted.given({ metadata: { name: 'two' }, spec: { replicas: 2 } });

    const scale = await counted.get('two', 'scale');
    const status = await counted.patch('two', 'merge', { status: { conditions: 'none' } }, {}, 'status');

    expect(scale.body.spec).toEqual({ replicas: 2 });
    expect(status.code).toBe(422);
    expect(refusedFields(status.status)).toEqual(['status.conditions']);
  });

  it('carries its CEL rules', async () => {
    const { code, status } = await server.docs(Counted.definition).create({ metadata: { name: 'forbidden' }, spec: {} });

    expect(code).toBe(422);
    expect(status.message).toContain('this name is forbidden');
  });
});

/** The fields a refusal names; some only in the message. */
function refusedFields({ details, message }: KubeStatus): string[] {
  const causes = (details?.causes ?? []).filter((cause) => !cause.message?.includes('some validation rules were not checked'));
  if (causes.length === 0) return [`(${message ?? 'no message'})`];
  return causes.map(({ field = '', message: cause = '' }) => (field === '<nil>' ? (/ in (spec\S*)$/.exec(cause)?.[1] ?? cause) : field));
}

function sorted(fields: string[]): string[] {
  return [...new Set(fields)].sort();
}
