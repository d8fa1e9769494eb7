import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, kindOf } from './objects';

const text = { type: 'string' };
const number = { type: 'integer' };

describe('schemas of custom resources', () => {
  const server = useServer();
  const samples = server.docs(kindOf(server.group, 'Sample'));

  const create = (name: string, spec: object, query = {}) => samples.create({ metadata: { name }, spec }, query);

  beforeAll(async () => {
    const spec = {
      type: 'object',
      required: ['size'],
      properties: {
        size: { ...number, minimum: 1, maximum: 9 },
        even: { ...number, multipleOf: 2 },
        ratio: { type: 'number', exclusiveMinimum: true, minimum: 0 },
        colour: { ...text, enum: ['red', 'blue'] },
        code: { ...text, pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
        since: { ...text, format: 'date-time' },
        days: { type: 'array', minItems: 1, maxItems: 2, items: text },
        unique: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        byName: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: text, n: number } },
        },
        port: { 'x-kubernetes-int-or-string': true },
        nested: { type: 'object', default: {}, properties: { mode: { ...text, default: 'auto' }, level: number } },
        flag: { type: 'boolean', default: true },
        maybe: { ...text, nullable: true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        words: { type: 'object', additionalProperties: text, maxProperties: 2 },
        template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        choice: { type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      },
    };
    await server.installCrd(aCrd(server.group, 'Sample', { spec }));
  });

  it.each([
    ['a missing field', {}, 'spec.size', 'FieldValueRequired'],
    ['a wrong type', { size: 'big' }, 'spec.size', 'FieldValueTypeInvalid'],
    ['a number below the minimum', { size: 0 }, 'spec.size', 'FieldValueInvalid'],
    ['a number above the maximum', { size: 10 }, 'spec.size', 'FieldValueInvalid'],
    ['a number that is no multiple', { size: 1, even: 3 }, 'spec.even', 'FieldValueInvalid'],
    ['a number at an excluded minimum', { size: 1, ratio: 0 }, 'spec.ratio', 'FieldValueInvalid'],
    ['a value outside of the enum', { size: 1, colour: 'green' }, 'spec.colour', 'FieldValueNotSupported'],
    ['a text against the pattern', { size: 1, code: 'A1' }, 'spec.code', 'FieldValueInvalid'],
    ['a text that is too short', { size: 1, code: 'a' }, 'spec.code', 'FieldValueInvalid'],
    ['a text that is too long', { size: 1, code: 'abcde' }, 'spec.code', 'FieldValueTooLong'],
    ['a text against the format', { size: 1, since: 'yesterday' }, 'spec.since', 'FieldValueTypeInvalid'],
    ['too few items', { size: 1, days: [] }, 'spec.days', 'FieldValueInvalid'],
    ['too many items', { size: 1, days: ['a', 'b', 'c'] }, 'spec.days', 'FieldValueTooMany'],
    ['an item of the wrong type', { size: 1, days: ['a', 2] }, 'spec.days[1]', 'FieldValueTypeInvalid'],
    ['a value twice in a set', { size: 1, unique: ['a', 'b', 'a'] }, 'spec.unique[2]', 'FieldValueDuplicate'],
    ['a key twice in a list map', { size: 1, byName: [{ name: 'a' }, { name: 'a' }] }, 'spec.byName[1]', 'FieldValueDuplicate'],
    ['neither a number nor a text', { size: 1, port: true }, 'spec.port', 'FieldValueTypeInvalid'],
    ['a map value of the wrong type', { size: 1, words: { a: 1 } }, 'spec.words.a', 'FieldValueTypeInvalid'],
    ['too many properties', { size: 1, words: { a: '', b: '', c: '' } }, 'spec.words', 'FieldValueTooMany'],
    ['null where it is not allowed', { size: null }, 'spec.size', 'FieldValueRequired'],
    ['more than one of several alternatives', { size: 1, choice: { a: '', b: '' } }, '<nil>', 'FieldValueInvalid'],
    ['an embedded object without a kind', { size: 1, template: { apiVersion: 'v1' } }, 'spec.template.kind', 'FieldValueRequired'],
  ])('refuses %s, naming the field', async (_what, spec, field, reason) => {
    const { code, status } = await create('refused', spec);

    expect(code).toBe(422);
    expect(status).toMatchObject({ reason: 'Invalid', details: { name: 'refused', group: server.group, kind: 'Sample' } });
    expect(status.details?.causes).toContainEqual(expect.objectContaining({ field, reason }));
  });

  it('says what is wrong with each of several fields', async () => {
    const { status } = await create('several', { size: 0, colour: 'green' });

    expect(status.details?.causes?.map(({ field, message }) => `${field ?? ''}: ${message ?? ''}`).sort()).toEqual([
      'spec.colour: Unsupported value: "green": supported values: "red", "blue"',
      'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    ]);
  });

  it('fills in defaults, also within an object that is a default itself', async () => {
    const made = succeeded(await create('defaults', { size: 1 }));

    expect(made.spec).toEqual({ size: 1, flag: true, nested: { mode: 'auto' } });
  });

  it('keeps what is given rather than the default', async () => {
    const made = succeeded(await create('given', { size: 1, flag: false, nested: { mode: 'manual' } }));

    expect(made.spec).toEqual({ size: 1, flag: false, nested: { mode: 'manual' } });
  });

  it('takes a null for a field with a default as absent', async () => {
    const made = succeeded(await create('nulls', { size: 1, flag: null }));

    expect(made.spec).toMatchObject({ flag: true });
  });

  it('keeps a null where it is allowed', async () => {
    const made = succeeded(await create('nullable', { size: 1, maybe: null }));

    expect(made.spec).toHaveProperty('maybe', null);
  });

  it('prunes the fields that the schema does not know', async () => {
    const made = succeeded(await create('pruned', { size: 1, unknown: 1, nested: { extra: 2, level: 3 } }, { fieldValidation: 'Ignore' }));

    expect(made.spec).toEqual({ size: 1, flag: true, nested: { level: 3, mode: 'auto' } });
  });

  it('keeps unknown fields where they are to be preserved', async () => {
    const made = succeeded(await create('preserved', { size: 1, free: { any: { thing: [1, 'two'] } } }));

    expect(made.spec).toMatchObject({ free: { any: { thing: [1, 'two'] } } });
  });

  it('keeps an embedded object with its metadata', async () => {
    const template = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'inner', labels: { a: 'b' } }, spec: { x: 1 } };

    const made = succeeded(await create('embedded', { size: 1, template }));

    expect(made.spec).toMatchObject({ template });
  });

  it.each([8080, 'http'])('takes %p for a number or a text', async (port) => {
    const made = succeeded(await create(`port-${port}`, { size: 1, port }));

    expect(made.spec).toMatchObject({ port });
  });

  it('refuses a replacement that breaks the schema', async () => {
    const made = succeeded(await create('replaced', { size: 1 }));

    const { code, status } = await samples.replace('replaced', { ...made, spec: { size: 99 } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'spec.size' }]);
  });

  it('needs a version to replace a custom object', async () => {
    await create('unversioned', { size: 1 });

    const { code, status } = await samples.replace('unversioned', { metadata: { name: 'unversioned' }, spec: { size: 2 } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'metadata.resourceVersion' }]);
  });
});
