import { CustomResourceDefinition } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, kindOf } from './objects';

const text = { type: 'string' };
const number = { type: 'integer' };

describe('validation rules of custom resources (CEL)', () => {
  const server = useServer();
  const ranges = server.docs(kindOf(server.group, 'Range'));

  const create = (name: string, spec: object) => ranges.create({ metadata: { name }, spec });

  beforeAll(async () => {
    const spec = {
      type: 'object',
      properties: {
        min: number,
        max: number,
        frozen: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'frozen cannot change' }] },
        name: {
          ...text,
          maxLength: 20,
          'x-kubernetes-validations': [{ rule: "self.startsWith('r-')", messageExpression: "'a range is called r-, not ' + self" }],
        },
        steps: {
          type: 'array',
          maxItems: 5,
          items: number,
          'x-kubernetes-validations': [{ rule: 'self.all(step, step > 0)', message: 'steps go up', reason: 'FieldValueForbidden' }],
        },
        labels: {
          type: 'object',
          maxProperties: 5,
          additionalProperties: { ...text, maxLength: 10 },
          'x-kubernetes-validations': [{ rule: "!('secret' in self)", message: 'no secrets' }],
        },
        grow: { ...number, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'only grows' }] },
        url: { ...text, maxLength: 100, 'x-kubernetes-validations': [{ rule: "self.matches('^https://')", message: 'https only' }] },
      },
      'x-kubernetes-validations': [
        { rule: '!has(self.min) || !has(self.max) || self.min <= self.max', message: 'min is above max', fieldPath: '.min' },
        { rule: '!has(self.steps) || size(self.steps) == 0 || has(self.min)', message: 'steps need a min' },
      ],
    };
    await server.installCrd(aCrd(server.group, 'Range', { spec }));
  });

  it('accepts what every rule accepts', async () => {
    const { code } = await create('good', { min: 1, max: 2, name: 'r-1', steps: [1, 2], labels: { a: 'b' }, url: 'https://x' });

    expect(code).toBe(201);
  });

  it('refuses what a rule over several fields refuses, at the field that the rule names', async () => {
    const { code, status } = await create('crossed', { min: 3, max: 2 });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([
      { reason: 'FieldValueInvalid', field: 'spec.min', message: expect.stringContaining('min is above max') },
    ]);
  });

  it('says the message that a rule computes', async () => {
    const { status } = await create('called', { name: 'x' });

    expect(status.details?.causes).toMatchObject([{ field: 'spec.name', message: expect.stringContaining('a range is called r-, not x') }]);
  });

  it('gives the reason that a rule names', async () => {
    const { status } = await create('reasoned', { min: 0, steps: [1, 0] });

    expect(status.details?.causes).toMatchObject([
      { reason: 'FieldValueForbidden', field: 'spec.steps', message: expect.stringContaining('steps go up') },
    ]);
  });

  it('checks rules on maps', async () => {
    const { status } = await create('mapped', { labels: { secret: 'x' } });

    expect(status.details?.causes).toMatchObject([{ field: 'spec.labels', message: expect.stringContaining('no secrets') }]);
  });

  it('checks rules with regular expressions', async () => {
    const { code, status } = await create('matched', { url: 'http://x' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'spec.url', message: expect.stringContaining('https only') }]);
  });

  it('reports every broken rule', async () => {
    const { status } = await create('both', { min: 3, max: 2, name: 'x' });

    expect(status.details?.causes?.map(({ field }) => field).sort()).toEqual(['spec.min', 'spec.name']);
  });

  it('leaves rules about a field alone while the field is absent', async () => {
    const { code } = await create('absent', {});

    expect(code).toBe(201);
  });

  it('does not ask a rule about a change when the object is made', async () => {
    const { code } = await create('initial', { frozen: 'anything', grow: 1 });

    expect(code).toBe(201);
  });

  it('refuses a change that a rule about changes refuses', async () => {
    succeeded(await create('changed', { frozen: 'a' }));

    const { code, status } = await ranges.patch('changed', 'merge', { spec: { frozen: 'b' } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'spec.frozen', message: expect.stringContaining('frozen cannot change') }]);
  });

  it('accepts a change that a rule about changes accepts', async () => {
    succeeded(await create('grown', { grow: 1 }));

    const up = await ranges.patch('grown', 'merge', { spec: { grow: 2 } });
    const down = await ranges.patch('grown', 'merge', { spec: { grow: 1 } });

    expect([up.code, down.code]).toEqual([200, 422]);
  });

  it('lets an unchanged value be, when it broke no rule about changes', async () => {
    succeeded(await create('same', { frozen: 'a', min: 1 }));

    const { code } = await ranges.patch('same', 'merge', { spec: { min: 2 } });

    expect(code).toBe(200);
  });

  it('refuses a definition with a rule that does not compile', async () => {
    const spec = { type: 'object', properties: { a: number }, 'x-kubernetes-validations': [{ rule: 'self.a >' }] };

    const { code, status } = await server.of(CustomResourceDefinition).create(aCrd(server.group, 'Broken', { spec }));

    expect(code).toBe(422);
    expect(status.details?.causes).toContainEqual(
      expect.objectContaining({
        field: 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule',
        reason: 'FieldValueInvalid',
      }),
    );
  });

  it('refuses a definition with a rule about a field that is not in the schema', async () => {
    const spec = { type: 'object', properties: { a: number }, 'x-kubernetes-validations': [{ rule: 'self.b > 1' }] };

    const { code, status } = await server.of(CustomResourceDefinition).create(aCrd(server.group, 'Lost', { spec }));

    expect(code).toBe(422);
    expect(status.details?.causes?.[0]?.message).toContain('undefined field');
  });
});
