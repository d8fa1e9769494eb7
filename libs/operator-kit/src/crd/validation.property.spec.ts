import fc from 'fast-check';
import { CustomResource, Field, Resource } from '.';

class Part {
  @Field({ type: 'string', minLength: 1, maxLength: 8, pattern: '^[a-z]+$' }) id!: string;
  @Field({ type: 'number', minimum: 0, maximum: 1, optional: true }) weight?: number;
}

class MachineSpec {
  @Field({ type: 'string', minLength: 1, maxLength: 3 }) text!: string;
  @Field({ enum: ['a', 'b'] }) choice!: 'a' | 'b';
  @Field({ type: 'integer', minimum: -3, maximum: 3 }) count!: number;
  @Field({ type: 'integer', multipleOf: 3 }) threes!: number;
  @Field({ type: 'boolean' }) flag!: boolean;
  @Field({ type: 'int-or-string' }) portion!: number | string;
  @Field({ arrayOf: { type: 'string', maxLength: 2 }, maxItems: 3, listType: 'set' }) words!: string[];
  @Field({ arrayOf: Part, listType: 'map', listMapKeys: ['id'], maxItems: 4 }) parts!: Part[];
  @Field({ mapOf: 'integer', maxProperties: 3 }) sizes!: Record<string, number>;
  @Field({ type: Part }) main!: Part;
}

@CustomResource({ group: 'test.example.com', version: 'v1', kind: 'Machine' })
class Machine extends Resource(MachineSpec) {}

const runes = fc.constantFrom('x', 'é', '😀');
const id = fc.stringMatching(/^[a-z]{1,8}$/);
const part = fc.record({ id, weight: fc.double({ min: 0, max: 1, noNaN: true }) }, { requiredKeys: ['id'] });

const validSpec = fc.record({
  text: fc.array(runes, { minLength: 1, maxLength: 3 }).map((all) => all.join('')),
  choice: fc.constantFrom('a' as const, 'b' as const),
  count: fc.integer({ min: -3, max: 3 }),
  threes: fc.integer({ min: -1000, max: 1000 }).map((third) => third * 3),
  flag: fc.boolean(),
  portion: fc.oneof(fc.integer(), fc.string()),
  words: fc.uniqueArray(fc.constantFrom('', 'a', 'bc', '😀😀'), { maxLength: 3 }),
  parts: fc.uniqueArray(part, { selector: (one) => one.id, maxLength: 4 }),
  sizes: fc.dictionary(fc.constantFrom('a', 'constructor', '__proto__'), fc.integer(), { maxKeys: 3 }),
  main: part,
});

/** One way to break a valid spec, and where the break must be found. */
const breaks: [string, (spec: Machine['spec']) => object, string][] = [
  ['a missing field', (spec) => ({ ...spec, text: undefined }), 'spec.text'],
  ['a null', (spec) => ({ ...spec, text: null }), 'spec.text'],
  ['an empty text', (spec) => ({ ...spec, text: '' }), 'spec.text'],
  ['a text too long', (spec) => ({ ...spec, text: '😀😀😀😀' }), 'spec.text'],
  ['another choice', (spec) => ({ ...spec, choice: 'c' }), 'spec.choice'],
  ['a count too low', (spec) => ({ ...spec, count: -4 }), 'spec.count'],
  ['a count too high', (spec) => ({ ...spec, count: 4 }), 'spec.count'],
  ['a fraction', (spec) => ({ ...spec, count: 0.5 }), 'spec.count'],
  ['no multiple', (spec) => ({ ...spec, threes: spec.threes + 1 }), 'spec.threes'],
  ['a text for a flag', (spec) => ({ ...spec, flag: 'true' }), 'spec.flag'],
  ['a flag for a portion', (spec) => ({ ...spec, portion: true }), 'spec.portion'],
  ['a list for an object', (spec) => ({ ...spec, main: [] }), 'spec.main'],
  ['an object for a list', (spec) => ({ ...spec, words: {} }), 'spec.words'],
  ['too many words', (spec) => ({ ...spec, words: ['1', '2', '3', '4'] }), 'spec.words'],
  ['a word twice', (spec) => ({ ...spec, words: ['1', '2', '1'] }), 'spec.words[2]'],
  ['a long word', (spec) => ({ ...spec, words: ['1', '123'] }), 'spec.words[1]'],
  ['a key twice', (spec) => ({ ...spec, parts: [{ id: 'a' }, { id: 'a', weight: 1 }] }), 'spec.parts[1]'],
  ['a part that is none', (spec) => ({ ...spec, parts: [{ id: 'a' }, 7] }), 'spec.parts[1]'],
  ['a wrong field in a part', (spec) => ({ ...spec, parts: [{ id: 'a' }, { id: 'b', weight: 2 }] }), 'spec.parts[1].weight'],
  ['a wrong pattern', (spec) => ({ ...spec, main: { id: 'A' } }), 'spec.main.id'],
  ['a text in a map', (spec) => ({ ...spec, sizes: { b: '1' } }), 'spec.sizes.b'],
  ['too many in a map', (spec) => ({ ...spec, sizes: { a: 1, b: 2, c: 3, d: 4 } }), 'spec.sizes'],
];

describe('validation', () => {
  it('accepts whatever the schema describes', () => {
    fc.assert(
      fc.property(validSpec, (spec) => {
        expect(Machine.validate(Machine.create('x', spec))).toEqual([]);
      }),
    );
  });

  it.each(breaks)('finds %s in an otherwise fine object, there and nowhere else', (_, breakIt, field) => {
    fc.assert(
      fc.property(validSpec, (spec) => {
        const problems = Machine.validate({ ...Machine.create('x', spec), spec: breakIt(spec) });

        expect(problems.map((problem) => problem.field)).toEqual([field]);
      }),
      { numRuns: 30 },
    );
  });

  it('says nothing against unknown fields, which are pruned', () => {
    fc.assert(
      fc.property(validSpec, fc.jsonValue(), (spec, extra) => {
        expect(Machine.validate({ ...Machine.create('x', spec), spec: { ...spec, extra } })).toEqual([]);
      }),
    );
  });
});
