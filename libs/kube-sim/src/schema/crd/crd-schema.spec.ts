import fc from 'fast-check';
import { printFieldError } from '../validation';
import { without } from '../json';
import type { JsonObject } from '../json';
import { CrdSchema } from './crd-schema';

const text = { type: 'string' };
const whole = { type: 'integer' };
const real = { type: 'number' };

/** A spec whose fields use every kind of validation, one field each. */
const everyRule: { type: string; properties: JsonObject } = {
  type: 'object',
  properties: {
    min: { ...whole, minimum: 1, maximum: 5 },
    exmin: { ...whole, minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    num: { ...real, minimum: 1.5 },
    mult: { ...whole, multipleOf: 2 },
    i32: { ...whole, format: 'int32' },
    len: { ...text, minLength: 2, maxLength: 3 },
    pat: { ...text, pattern: '^a+$' },
    en: { ...text, enum: ['a', 'b'] },
    ien: { ...whole, enum: [1, 2] },
    dt: { ...text, format: 'date-time' },
    date: { ...text, format: 'date' },
    dur: { ...text, format: 'duration' },
    uri: { ...text, format: 'uri' },
    email: { ...text, format: 'email' },
    ip4: { ...text, format: 'ipv4' },
    cidr: { ...text, format: 'cidr' },
    byte: { ...text, format: 'byte' },
    unk: { ...text, format: 'whatever' },
    host: { ...text, format: 'hostname' },
    list: { type: 'array', minItems: 1, maxItems: 2, items: { ...text, minLength: 1 } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    lm: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: text, v: { ...whole, minimum: 1 } } },
    },
    m: { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { ...whole, minimum: 1 } },
    o: { type: 'object', required: ['x'], properties: { x: text, y: whole } },
    ios: { 'x-kubernetes-int-or-string': true },
    nul: { ...text, nullable: true },
    b: { type: 'boolean' },
    any: { type: 'object', properties: { a: whole, b: whole }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    one: { type: 'object', properties: { a: whole, b: whole }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    all: { ...whole, allOf: [{ minimum: 3 }, { maximum: 1 }] },
    not: { ...whole, not: { enum: [3] } },
    def: { type: 'object', default: {}, properties: { n: { ...whole, default: 7 } } },
    pres: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    emb: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    cel: {
      type: 'object',
      properties: { a: whole, b: whole, s: text, d: { ...text, format: 'date-time' } },
      'x-kubernetes-validations': [
        { rule: '!has(self.a) || !has(self.b) || self.a <= self.b', message: 'a above b' },
        {
          rule: "!has(self.s) || self.s.startsWith('x')",
          messageExpression: "'got ' + self.s",
          fieldPath: '.s',
          reason: 'FieldValueForbidden',
        },
        { rule: '!has(oldSelf.a) || self.a == oldSelf.a', message: 'a is immutable' },
      ],
    },
    cels: { ...text, 'x-kubernetes-validations': [{ rule: 'self.size() < 4' }] },
    celfail: { ...whole, 'x-kubernetes-validations': [{ rule: '10 / self > 1' }] },
    cell: { type: 'array', maxItems: 5, items: { ...whole, 'x-kubernetes-validations': [{ rule: 'self > 1' }] } },
    celm: {
      type: 'object',
      maxProperties: 5,
      additionalProperties: { ...whole, 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'must be over one' }] },
    },
    q: {
      ...text,
      maxLength: 10,
      'x-kubernetes-validations': [{ rule: "isQuantity(self) && quantity(self).isGreaterThan(quantity('1Gi'))" }],
    },
  },
};

function check(spec: JsonObject): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Check', metadata: { name: 'a' }, spec };
}

function compile(spec: JsonObject): CrdSchema {
  return CrdSchema.compile({ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } });
}

function problems(schema: CrdSchema, spec: JsonObject, old?: JsonObject): string[] {
  const object = schema.applyDefaults(schema.decode(check(spec)).object);
  return schema
    .validate(object, old === undefined ? undefined : check(old))
    .map(printFieldError)
    .filter((line) => !line.includes('some validation rules were not checked'))
    .sort();
}

describe('CrdSchema.validate', () => {
  const schema = compile(everyRule);

  // Every expectation below was recorded from a Kubernetes 1.36 API server.
  it.each<[JsonObject, string[]]>([
    [{ min: 0 }, ['spec.min: Invalid value: 0: spec.min in body should be greater than or equal to 1']],
    [{ min: 6 }, ['spec.min: Invalid value: 6: spec.min in body should be less than or equal to 5']],
    [{ min: 'x' }, ['spec.min: Invalid value: "string": spec.min in body must be of type integer: "string"']],
    [
      { min: 1.5 },
      [
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.min',
        'spec.min: Invalid value: "number": spec.min in body must be of type integer: "number"',
      ],
    ],
    [{ exmin: 1 }, ['spec.exmin: Invalid value: 1: spec.exmin in body should be greater than 1']],
    [{ exmin: 5 }, ['spec.exmin: Invalid value: 5: spec.exmin in body should be less than 5']],
    [{ num: 'a' }, ['spec.num: Invalid value: "string": spec.num in body must be of type number: "string"']],
    [{ mult: 3 }, ['spec.mult: Invalid value: 3: spec.mult in body should be a multiple of 2']],
    [{ i32: 3000000000 }, ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.i32']],
    [{ len: 'a' }, ['spec.len: Invalid value: "a": spec.len in body should be at least 2 chars long']],
    [{ len: 'aaaa' }, ['spec.len: Too long: may not be more than 3 bytes']],
    [{ pat: 'b' }, ['spec.pat: Invalid value: "b": spec.pat in body should match \'^a+$\'']],
    [{ en: 'c' }, ['spec.en: Unsupported value: "c": supported values: "a", "b"']],
    [
      { en: 3 },
      [
        'spec.en: Invalid value: "integer": spec.en in body must be of type string: "integer"',
        'spec.en: Unsupported value: 3: supported values: "a", "b"',
      ],
    ],
    [{ ien: 3 }, ['spec.ien: Unsupported value: 3: supported values: "1", "2"']],
    [{ dt: 'x' }, ['spec.dt: Invalid value: "x": spec.dt in body must be of type date-time: "x"']],
    [
      { dt: '2020-02-31T00:00:00Z' },
      ['spec.dt: Invalid value: "2020-02-31T00:00:00Z": spec.dt in body must be of type date-time: "2020-02-31T00:00:00Z"'],
    ],
    [
      { dt: '2020-01-01T00:00:00' },
      ['spec.dt: Invalid value: "2020-01-01T00:00:00": spec.dt in body must be of type date-time: "2020-01-01T00:00:00"'],
    ],
    [{ date: '2020-13-01' }, ['spec.date: Invalid value: "2020-13-01": spec.date in body must be of type date: "2020-13-01"']],
    [{ dur: '5 parsecs' }, ['spec.dur: Invalid value: "5 parsecs": spec.dur in body must be of type duration: "5 parsecs"']],
    [{ uri: 'nope' }, ['spec.uri: Invalid value: "nope": spec.uri in body must be of type uri: "nope"']],
    [{ uri: 'http://a b' }, ['spec.uri: Invalid value: "http://a b": spec.uri in body must be of type uri: "http://a b"']],
    [{ email: 'ab' }, ['spec.email: Invalid value: "ab": spec.email in body must be of type email: "ab"']],
    [{ ip4: '1.2.3.400' }, ['spec.ip4: Invalid value: "1.2.3.400": spec.ip4 in body must be of type ipv4: "1.2.3.400"']],
    [{ cidr: '10.0.0.0/33' }, ['spec.cidr: Invalid value: "10.0.0.0/33": spec.cidr in body must be of type cidr: "10.0.0.0/33"']],
    [{ byte: '%%' }, ['spec.byte: Invalid value: "%%": spec.byte in body must be of type byte: "%%"']],
    [{ host: 'a_b' }, ['spec.host: Invalid value: "a_b": spec.host in body must be of type hostname: "a_b"']],
    [{ list: [] }, ['spec.list: Invalid value: 0: spec.list in body should have at least 1 items']],
    [{ list: ['a', 'b', 'c'] }, ['spec.list: Too many: 3: must have at most 2 items']],
    [{ list: [''] }, ['spec.list[0]: Invalid value: "": spec.list[0] in body should be at least 1 chars long']],
    [{ list: 'x' }, ['spec.list: Invalid value: "string": spec.list in body must be of type array: "string"']],
    [{ set: ['a', 'a', 'a'] }, ['spec.set[1]: Duplicate value: "a"']],
    [{ lm: [{ name: 'a' }, { name: 'a' }] }, ['spec.lm[1]: Duplicate value: {"name":"a"}']],
    [{ lm: [{ v: 1 }] }, ['spec.lm[0].name: Required value']],
    [{ lm: [{ name: 'x', v: 0 }] }, ['spec.lm[0].v: Invalid value: 0: spec.lm[0].v in body should be greater than or equal to 1']],
    [{ m: {} }, ['spec.m: Invalid value: 0: spec.m in body should have at least 1 properties']],
    [{ m: { a: 1, b: 1, c: 1 } }, ['spec.m: Too many: 3: must have at most 2 items']],
    [{ m: { a: 0 } }, ['spec.m.a: Invalid value: 0: spec.m.a in body should be greater than or equal to 1']],
    [{ o: {} }, ['spec.o.x: Required value']],
    [{ o: { x: 1 } }, ['spec.o.x: Invalid value: "integer": spec.o.x in body must be of type string: "integer"']],
    [{ ios: 1.5 }, ['spec.ios: Invalid value: "number": spec.ios in body must be of type integer,string: "number"']],
    [{ ios: true }, ['spec.ios: Invalid value: "boolean": spec.ios in body must be of type integer,string: "boolean"']],
    [{ b: 'true' }, ['spec.b: Invalid value: "string": spec.b in body must be of type boolean: "string"']],
    [{ any: {} }, ['<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)', 'spec.any.a: Required value']],
    [
      { one: {} },
      [
        '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid',
        'spec.one.a: Required value',
      ],
    ],
    [
      { one: { a: 1, b: 1 } },
      ['<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      { all: 2 },
      [
        '<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf). None validated',
        'spec.all: Invalid value: 2: spec.all in body should be greater than or equal to 3',
        'spec.all: Invalid value: 2: spec.all in body should be less than or equal to 1',
      ],
    ],
    [
      { all: 4 },
      [
        '<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf)',
        'spec.all: Invalid value: 4: spec.all in body should be less than or equal to 1',
      ],
    ],
    [{ not: 3 }, ['<nil>: Invalid value: "": "spec.not" must not validate the schema (not)']],
    [{ emb: { foo: 1 } }, ['spec.emb.apiVersion: Required value', 'spec.emb.kind: Required value']],
    [{ emb: {} }, ['spec.emb.apiVersion: Required value', 'spec.emb.kind: Required value']],
    [{ cel: { a: 2, b: 1 } }, ['spec.cel: Invalid value: a above b']],
    [{ cel: { s: 'abc' } }, ['spec.cel.s: Forbidden: got abc']],
    [{ cel: { a: 'x' } }, ['spec.cel.a: Invalid value: "string": spec.cel.a in body must be of type integer: "string"']],
    [{ cels: 'abcd' }, ['spec.cels: Invalid value: "abcd": failed rule: self.size() < 4']],
    [{ celfail: 0 }, ['spec.celfail: Invalid value: "integer": division by zero evaluating rule: 10 / self > 1']],
    [{ celfail: 10 }, ['spec.celfail: Invalid value: 10: failed rule: 10 / self > 1']],
    [
      { cell: [0, 1, 2] },
      ['spec.cell[0]: Invalid value: 0: failed rule: self > 1', 'spec.cell[1]: Invalid value: 1: failed rule: self > 1'],
    ],
    [{ celm: { k: 0 } }, ['spec.celm[k]: Invalid value: 0: must be over one']],
    [{ q: '1' }, ['spec.q: Invalid value: "1": failed rule: isQuantity(self) && quantity(self).isGreaterThan(quantity(\'1Gi\'))']],
    [{ q: 'abc' }, ['spec.q: Invalid value: "abc": failed rule: isQuantity(self) && quantity(self).isGreaterThan(quantity(\'1Gi\'))']],
    [
      { min: 0, cels: 'abcdef', en: 'q' },
      [
        'spec.en: Unsupported value: "q": supported values: "a", "b"',
        'spec.min: Invalid value: 0: spec.min in body should be greater than or equal to 1',
      ],
    ],
  ])('refuses %j as the API server does', (spec, expected) => {
    expect(problems(schema, spec)).toEqual(expected);
  });

  it.each<[JsonObject]>([
    [{ min: null }],
    [{ num: 1 }],
    [{ len: 'ää😀' }],
    [{ dt: '2020-01-01T00:00:00Z' }],
    [{ dur: '1h30m' }],
    [{ dur: '3 days' }],
    [{ uri: '/x' }],
    [{ email: 'a@b' }],
    [{ unk: 'x' }],
    [{ o: { x: 'a', zz: 1 } }],
    [{ ios: '5%' }],
    [{ nul: null }],
    [{ def: {} }],
    [{}],
    [{ pres: { a: { b: 1 } } }],
    [{ emb: { kind: 'x', apiVersion: 'v1', metadata: { name: 'a', foo: 1 } } }],
    [{ q: '2Gi' }],
    [{ zz: 1, min: 2 }],
  ])('accepts %j as the API server does', (spec) => {
    expect(problems(schema, spec)).toEqual([]);
  });

  it('runs transition rules only against an old value', () => {
    expect(problems(schema, { cel: { a: 2 } })).toEqual([]);
    expect(problems(schema, { cel: { a: 2 } }, {})).toEqual([]);
    expect(problems(schema, { cel: { a: 2 } }, { cel: { a: 2 } })).toEqual([]);
    expect(problems(schema, { cel: { a: 2 } }, { cel: { a: 1 } })).toEqual(['spec.cel: Invalid value: a is immutable']);
  });

  it('lets a wrong value stay that was there before, but not a new one', () => {
    expect(problems(schema, { min: 9, len: 'ab' }, { min: 9, len: 'abc' })).toEqual([]);
    expect(problems(schema, { min: 8 }, { min: 9 })).toEqual([
      'spec.min: Invalid value: 8: spec.min in body should be less than or equal to 5',
    ]);
    expect(
      problems(
        schema,
        {
          lm: [
            { name: 'b', v: 1 },
            { name: 'a', v: 0 },
          ],
        },
        { lm: [{ name: 'a', v: 0 }] },
      ),
    ).toEqual([]);
  });

  it('says that rules were not checked when the types are wrong', () => {
    const errors = schema.validate(check({ min: 'x' }));

    expect(errors.map(({ message }) => message)).toContain(
      'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    );
  });

  it('never throws, whatever the object holds', () => {
    const anything = fc.dictionary(fc.constantFrom(...Object.keys(everyRule.properties)), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(anything, (spec) => {
        expect(Array.isArray(problems(schema, spec as JsonObject))).toBe(true);
      }),
    );
  });
});

describe('CrdSchema.prune', () => {
  const schema = compile({
    type: 'object',
    properties: {
      known: { type: 'string' },
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { closed: { type: 'object' } } },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
    },
  });

  const object = {
    ...check({
      known: 'x',
      other: 1,
      list: [{ a: 'x', b: 1 }],
      open: { any: { thing: 1 }, closed: { no: 1 } },
      map: { k: { a: 'x', b: 1 } },
    }),
    metadata: { name: 'a', labels: { x: 'y' }, bogus: 1 },
    surprise: 1,
  };

  it('drops what is not declared and leaves metadata alone', () => {
    expect(schema.decode(object).object).toEqual({
      ...check({ known: 'x', list: [{ a: 'x' }], open: { any: { thing: 1 }, closed: {} }, map: { k: { a: 'x' } } }),
      metadata: { name: 'a', labels: { x: 'y' } },
    });
  });

  it('names what it drops', () => {
    expect(schema.decode(object).unknown).toEqual([
      'metadata.bogus',
      'spec.list[0].b',
      'spec.map.k.b',
      'spec.open.closed.no',
      'spec.other',
      'surprise',
    ]);
  });

  it('has nothing left to drop the second time', () => {
    expect(schema.decode(schema.decode(object).object).unknown).toEqual([]);
  });
});

describe('CrdSchema.applyDefaults', () => {
  const schema = compile({
    type: 'object',
    default: {},
    properties: {
      replicas: { type: 'integer', default: 1 },
      nested: { type: 'object', default: { a: 1 }, properties: { a: { type: 'integer' }, b: { type: 'integer', default: 2 } } },
      list: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean', default: true } } } },
      maybe: { type: 'string', nullable: true, default: 'x' },
      plain: { type: 'string' },
    },
  });

  it('fills in from the outside in, defaults inside of defaults too', () => {
    const bare = without(check({}), 'spec');

    expect(schema.applyDefaults(bare)).toEqual(check({ replicas: 1, nested: { a: 1, b: 2 }, maybe: 'x' }));
  });

  it('keeps what is set, and items of lists get theirs', () => {
    expect(schema.applyDefaults(check({ replicas: 0, nested: {}, list: [{}, { on: false }], maybe: null }))).toEqual(
      check({ replicas: 0, nested: { b: 2 }, list: [{ on: true }, { on: false }], maybe: null }),
    );
  });

  it('treats a null that is not allowed as absent', () => {
    expect(schema.applyDefaults(check({ replicas: null, plain: null, nested: {} }))).toEqual(
      check({ replicas: 1, nested: { b: 2 }, maybe: 'x' }),
    );
  });

  it('does nothing the second time', () => {
    const once = schema.applyDefaults(check({ list: [{}] }));

    expect(schema.applyDefaults(once)).toEqual(once);
  });
});
