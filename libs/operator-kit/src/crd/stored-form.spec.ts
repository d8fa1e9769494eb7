import type { JsonSchema } from './json-schema';
import { storedForm } from './stored-form';

const leaf: JsonSchema = { type: 'object', properties: { size: { type: 'integer', default: 1 }, name: { type: 'string' } } };

describe('storedForm', () => {
  it.each<[string, JsonSchema, unknown, unknown]>([
    ['fills in an absent default', leaf, {}, { size: 1 }],
    ['keeps what is there', leaf, { size: 2 }, { size: 2 }],
    ['replaces a null that the field does not take', leaf, { size: null }, { size: 1 }],
    ['drops a null without a default', leaf, { name: null }, { size: 1 }],
    ['prunes what the schema does not know', leaf, { size: 2, colour: 'red' }, { size: 2 }],
    ['fills in defaults in lists', { type: 'array', items: leaf }, [{}, { size: 3 }], [{ size: 1 }, { size: 3 }]],
    ['keeps a null in a list', { type: 'array', items: leaf }, [null], [null]],
    ['fills in defaults in maps', { type: 'object', additionalProperties: leaf }, { a: {} }, { a: { size: 1 } }],
    ['goes into its own defaults', { type: 'object', properties: { leaf: { ...leaf, default: {} } } }, {}, { leaf: { size: 1 } }],
    ['does not invent a parent', { type: 'object', properties: { leaf } }, {}, {}],
    [
      'keeps a nullable null',
      { type: 'object', properties: { a: { type: 'string', nullable: true, default: 'x' } } },
      { a: null },
      { a: null },
    ],
    ['keeps free-form JSON', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, { a: { b: null } }, { a: { b: null } }],
    ['leaves wrong types alone', leaf, 'text', 'text'],
  ])('%s', (_, schema, value, expected) => {
    expect(storedForm(schema, value)).toEqual(expected);
  });

  it('shares nothing with the schema', () => {
    const schema: JsonSchema = { type: 'object', properties: { list: { type: 'array', items: { type: 'string' }, default: ['a'] } } };

    const first = storedForm(schema, {}) as { list: string[] };
    first.list.push('b');

    expect(storedForm(schema, {})).toEqual({ list: ['a'] });
  });
});
