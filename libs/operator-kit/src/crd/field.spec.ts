import { validateSync } from 'class-validator';
import { Field, type FieldOptions, InvalidSchemaError } from '.';
import { defineField } from './field';
import { fieldsOf } from './field-registry';

class Named {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', optional: true }) note?: string;
}

class Plain {
  field?: string;
}

function define(options: FieldOptions): void {
  class Holder {
    field?: unknown;
  }
  defineField(Holder.prototype, 'field', options);
}

describe('@Field', () => {
  it.each<[string, object, string]>([
    ['an unknown option', { type: 'string', maxlength: 3 }, 'unknown option maxlength'],
    ['no type', {}, 'has no type'],
    ['two shapes', { type: 'string', arrayOf: 'string' }, 'type and arrayOf exclude each other'],
    ['an option of another type', { type: 'string', minimum: 3 }, 'minimum is for integer, number, int-or-string; this field is string'],
    ['limits the wrong way round', { type: 'integer', minimum: 5, maximum: 4 }, 'minimum 5 is above maximum 4'],
    ['lengths the wrong way round', { type: 'string', minLength: 5, maxLength: 4 }, 'minLength 5 is above maxLength 4'],
    ['a negative length', { type: 'string', minLength: -1 }, 'minLength must be a whole number'],
    ['an exclusive limit without a limit', { type: 'integer', exclusiveMinimum: true }, 'exclusiveMinimum needs a minimum'],
    ['a fractional multiple', { type: 'integer', multipleOf: 0.5 }, 'multipleOf must be a whole number above 0'],
    ['a default of the wrong type', { type: 'integer', default: 'three' }, 'the default does not fit: default must be of type integer'],
    ['a default beyond the limits', { type: 'integer', maximum: 3, default: 4 }, 'the default does not fit: default must be at most 3'],
    ['a default with unknown fields', { type: Named, default: { name: 'a', nane: 'b' } }, 'default.nane is not in the schema'],
    ['a null default', { type: 'string', default: null }, 'the default is null'],
    ['a superfluous optional', { type: 'string', default: 'a', optional: true }, 'drop optional'],
    ['a list-map without keys', { arrayOf: Named, listType: 'map' }, 'needs listMapKeys'],
    ['a list-map of scalars', { arrayOf: 'string', listType: 'map', listMapKeys: ['name'] }, 'needs elements of a decorated class'],
    ['an unknown list-map key', { arrayOf: Named, listType: 'map', listMapKeys: ['nane'] }, 'names nane, which the elements do not have'],
    ['an optional list-map key', { arrayOf: Named, listType: 'map', listMapKeys: ['note'] }, 'make it required, or give it a default'],
    ['keys without a list-map', { arrayOf: Named, listMapKeys: ['name'] }, "listMapKeys is for listType: 'map'"],
    ['a set of objects', { arrayOf: Named, listType: 'set' }, "listType: 'set' needs scalar elements"],
    ['a lookahead', { type: 'string', pattern: 'a(?=b)' }, 'unsupported Perl syntax: `(?=`'],
    ['a backreference', { type: 'string', pattern: '(a)\\1' }, 'invalid escape sequence: `\\1`'],
    ['a broken pattern', { type: 'string', pattern: '(a' }, 'missing closing ): `(a`'],
    ['an unknown format', { type: 'string', format: 'phone' }, 'the format phone is not one of'],
    ['a format of another type', { type: 'number', format: 'int32' }, 'the format int32 is not one of float, double'],
    ['an empty enum', { type: 'string', enum: [] }, 'enum is empty'],
    ['an enum of the wrong type', { type: 'string', enum: ['a', 1] }, 'enum lists 1'],
    ['null in an enum', { enum: ['a'], nullable: true }, 'null never passes an enum'],
    ['an empty rule', { type: 'string', validations: [{ rule: ' ' }] }, 'a validation rule is empty'],
    ['an undecorated class', { type: Plain }, 'the class Plain has no @Field'],
    ['a mistake in an element', { arrayOf: { type: 'string', minLength: 2, maxLength: 1 } }, 'Holder.field[]: minLength 2'],
  ])('refuses %s and names the class and the field', (_, options, message) => {
    expect(() => {
      define(options);
    }).toThrow(InvalidSchemaError);
    expect(() => {
      define(options);
    }).toThrow(/^Holder\.field/);
    expect(() => {
      define(options);
    }).toThrow(message);
  });

  it('takes the type of strings, booleans and classes from the declaration', () => {
    class Declared {
      @Field({}) text!: string;
      @Field({}) flag!: boolean;
      @Field({}) named!: Named;
    }

    expect(fieldsOf(Declared).map(({ schema }) => schema.type)).toEqual(['string', 'boolean', 'object']);
  });

  it('asks which kind of number is meant', () => {
    expect(() => {
      class Vague {
        @Field({}) count!: number;
      }
      return Vague;
    }).toThrow("Vague.count: is a number of which kind? Say type: 'integer' or type: 'number'");
  });

  it('does not compile where the declaration contradicts the schema', () => {
    class Contradictions {
      // @ts-expect-error: optional, but declared without ?
      @Field({ type: 'integer', optional: true }) optional!: number;
      // @ts-expect-error: required, but declared with ?
      @Field({ type: 'integer' }) required?: number;
      // @ts-expect-error: a string in the schema, a number in the program
      @Field({ type: 'string' }) type!: number;
      // @ts-expect-error: null gets through and is not declared
      @Field({ type: 'string', nullable: true }) nullable!: string;
      // @ts-expect-error: the schema lets c through
      @Field({ enum: ['a', 'b', 'c'] }) choice!: 'a' | 'b';
      // @ts-expect-error: a list of strings in the schema
      @Field({ arrayOf: 'string' }) list!: number[];
    }

    expect(fieldsOf(Contradictions)).toHaveLength(6);
  });

  it("is checked by class-validator's own call, too", () => {
    class Checked {
      @Field({ type: 'integer', minimum: 3 }) count!: number;
      @Field({ arrayOf: 'string' }) words!: string[];
    }

    const errors = validateSync(Object.assign(new Checked(), { count: 2, words: ['a', 1] }));

    expect(errors.map(({ property, constraints }) => [property, constraints])).toEqual([
      ['count', { minimum: 'must be at least 3' }],
      ['words', { content: 'words[1] must be of type string' }],
    ]);
  });
});
