import fc from 'fast-check';
import { CelRules, Condition, CustomResource, Field, Resource } from '@elasti/operator-kit';
import type { CustomResourceClass } from '@elasti/operator-kit';

const colours = ['red', 'green', 'blue'] as const;
type Colour = (typeof colours)[number];

class Port {
  @Field({ type: 'string', minLength: 1, maxLength: 5, pattern: '^[a-z]+$' }) name!: string;
  @Field({ type: 'integer', minimum: 1, maximum: 65535 }) number!: number;
  @Field({ enum: ['TCP', 'UDP'], default: 'TCP' }) protocol?: 'TCP' | 'UDP';
}

@CelRules({ rule: 'self.low <= self.high', message: 'low must not be above high' })
class Range {
  @Field({ type: 'integer' }) low!: number;
  @Field({ type: 'integer' }) high!: number;
}

class Limits {
  @Field({ type: 'number', minimum: 0, exclusiveMinimum: true, optional: true }) share?: number;
  @Field({ type: 'boolean', default: true }) hard?: boolean;
}

class EverythingSpec {
  @Field({ type: 'string', minLength: 2, maxLength: 4 }) text!: string;
  @Field({ type: 'string', optional: true, pattern: '^[\\w.-]+\\s?.$' }) patterned?: string;
  @Field({ type: 'string', optional: true, nullable: true }) nullableText?: string | null;
  @Field({ enum: colours, default: 'red' }) colour?: Colour;
  @Field({ enum: [1, 2, 3], optional: true }) level?: 1 | 2 | 3;
  @Field({ type: 'integer', optional: true, minimum: -5, maximum: 10, exclusiveMaximum: true }) whole?: number;
  @Field({ type: 'integer', optional: true, format: 'int32' }) small?: number;
  @Field({ type: 'integer', optional: true, format: 'int64' }) large?: number;
  @Field({ type: 'integer', optional: true, multipleOf: 5 }) fives?: number;
  @Field({ type: 'number', optional: true, minimum: -0.5, maximum: 0.5 }) fraction?: number;
  @Field({ type: 'number', optional: true, format: 'float' }) single?: number;
  @Field({ type: 'boolean', optional: true }) flag?: boolean;
  @Field({ type: 'int-or-string', optional: true }) percent?: number | string;
  @Field({ type: 'any', optional: true }) anything?: unknown;
  @Field({ type: 'any', optional: true, nullable: true }) anythingOrNull?: unknown;
  @Field({ type: 'object', optional: true, minProperties: 1, maxProperties: 2 }) free?: Record<string, unknown>;
  @Field({ type: 'string', optional: true, format: 'date-time' }) time?: string;
  @Field({ type: 'string', optional: true, format: 'date' }) day?: string;
  @Field({ type: 'string', optional: true, format: 'duration' }) wait?: string;
  @Field({ type: 'string', optional: true, format: 'ipv4' }) ipv4?: string;
  @Field({ type: 'string', optional: true, format: 'ipv6' }) ipv6?: string;
  @Field({ type: 'string', optional: true, format: 'cidr' }) cidr?: string;
  @Field({ type: 'string', optional: true, format: 'uuid' }) uuid?: string;
  @Field({ type: 'string', optional: true, format: 'byte' }) blob?: string;
  @Field({ arrayOf: { type: 'string', maxLength: 3 }, optional: true, minItems: 1, maxItems: 3 }) words?: string[];
  @Field({ arrayOf: 'integer', listType: 'set', optional: true }) numbers?: number[];
  @Field({ arrayOf: { type: 'integer', nullable: true }, optional: true }) gaps?: (number | null)[];
  @Field({ arrayOf: Port, listType: 'map', listMapKeys: ['name', 'protocol'], optional: true, maxItems: 5 }) ports?: Port[];
  @Field({ arrayOf: { arrayOf: 'integer' }, optional: true }) matrix?: number[][];
  @Field({ mapOf: { type: 'string', maxLength: 3 }, optional: true, maxProperties: 2 }) labels?: Record<string, string>;
  @Field({ mapOf: Limits, optional: true }) limits?: Record<string, Limits>;
  @Field({ type: Limits, optional: true, nullable: true, minProperties: 1 }) own?: Limits | null;
  @Field({ type: Limits, default: {} }) defaulted?: Limits;
  @Field({ type: Port }) main!: Port;
  @Field({ type: Range, optional: true, validations: [{ rule: 'self.low >= -100' }] }) range?: Range;
}

/** A resource that uses every keyword at least once. */
export function everythingIn(group: string): CustomResourceClass<EverythingSpec, undefined> {
  @CustomResource({ group, version: 'v1', kind: 'Everything', plural: 'everythings' })
  class Everything extends Resource(EverythingSpec) {}
  return Everything;
}

class CountedSpec {
  @Field({ type: 'integer', minimum: 0, default: 1 }) replicas?: number;
  @Field({ type: 'string', optional: true, maxLength: 20 }) colour?: string;
}

class CountedStatus {
  @Field({ type: 'integer', optional: true }) replicas?: number;
  @Field({ type: 'string', optional: true }) selector?: string;
  @Field({ arrayOf: Condition, listType: 'map', listMapKeys: ['type'], optional: true }) conditions?: Condition[];
}

/** A resource that uses every option of `@CustomResource`. */
export function countedIn(group: string): CustomResourceClass<CountedSpec, CountedStatus> {
  @CustomResource({ group, version: 'v1beta1', kind: 'Counted', plural: 'counted', deprecated: true, deprecationWarning: 'use v1' })
  class OldCounted extends Resource(CountedSpec) {}

  @CustomResource({
    group,
    version: 'v1',
    kind: 'Counted',
    plural: 'counted',
    singular: 'counted',
    shortNames: ['ctd'],
    categories: ['conformance'],
    description: 'Something that is counted',
    printerColumns: [{ name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', description: 'How many', priority: 1 }],
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
    validations: [{ rule: "self.metadata.name != 'forbidden'", message: 'this name is forbidden' }],
    selectableFields: ['.spec.colour'],
    labels: { made: 'here' },
    versions: [{ resource: OldCounted }],
  })
  class Counted extends Resource(CountedSpec, CountedStatus) {}
  return Counted;
}

const patterned = ['a.', 'a-b\t!', 'a b', 'a\u00a0b', 'a\n', 'ab\n\n', 'a\r', 'ä1', 'a\u2028', 'a_ b', '', ' a', '😀😀', 'a😀', 'ab\v'];
const texts = ['ab', 'abcd', 'a', 'abcde', '😀😀', '😀😀😀😀', '😀', '', 'äöü', 'e\u0301e'];
const wholes = [-6, -5, 0, 9, 10, 11, 1.5, -0, 1e3];
const bigs = [
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  -(2 ** 63),
  2 ** 62,
  1e20,
  1e22,
  0,
  1.5,
  1e-7,
];
const fives = [-5, 0, 5, 7, 10, 1e15, 2.5];
const fractions = [-0.5, 0.5, 0.50001, -0.51, 0, 1, 1e-300];
const times = [
  '2024-02-29T12:00:00Z',
  '2023-02-29T12:00:00Z',
  '2024-02-29t12:00:00z',
  '2024-01-01T24:00:00Z',
  '2024-01-01T23:59:60Z',
  '2024-01-01T00:00:00.123456789Z',
  '2024-01-01T00:00:00,5Z',
  '2024-01-01T00:00:00+25:99',
  '2024-01-01T00:00:00',
  '2024-01-01 00:00:00Z',
  '2024-01-01T00:00:00Ztrailing',
  '0000-01-01T00:00:00Z',
  '2024-1-1T00:00:00Z',
  '',
];
const days = ['2024-02-29', '2023-02-29', '2024-13-01', '2024-00-10', '2024-1-1', '0000-02-29', '20240101', ''];
const waits = [
  '1h30m',
  '1.5h',
  '-2s',
  '0',
  '+0',
  '1',
  '5 days',
  '1 fortnight',
  'in 3 weeks',
  'h',
  '',
  '1μs',
  '1µs',
  '99999999999h',
  '1h1x',
  '99999999999999999999 s',
];
const ipv4s = ['1.2.3.4', '1.2.3', '256.1.1.1', '010.0.0.1', '0000.1.1.1', '::ffff:1.2.3.4', '::1', '1.2.3.4 ', ''];
const ipv6s = [
  '::1',
  'fe80::1%eth0',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7:8:9',
  '::ffff:1.2.3.4',
  '::ffff:1.2.3.04',
  '1.2.3.4',
  '12345::',
  '',
];
const cidrs = [
  '10.0.0.0/8',
  '10.0.0.0/33',
  '10.0.0.0/08',
  '010.0.0.0/8',
  '::/0',
  '::/129',
  '10.0.0.0',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '1.2.3.4/-1',
];
const uuids = ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000', '123e4567-e89b-12d3-a456-42661417400', 'x', ''];
const blobs = ['', 'YQ==', 'YWI=', 'YWJj', 'YWJ', 'YW Jj', '_-8=', 'YWJjZA=='];

const hostile = fc.constantFrom<unknown>(
  null,
  true,
  0,
  1,
  1.5,
  '',
  'abc',
  '1',
  [],
  {},
  [null],
  [1],
  { a: null },
  { name: 'x' },
  [{}],
  [[]],
  [[null]],
);

function field(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 12, arbitrary: valid }, { weight: 1, arbitrary: hostile });
}

/** A string format lets a list through at the API server (a slip in its type check); ours does not, since a string is declared. */
function formatted(values: string[]): fc.Arbitrary<unknown> {
  const noList = hostile.filter((value) => !Array.isArray(value));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 12, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: noList },
  );
}

const from = (...values: unknown[]) => field(fc.constantFrom(...values));
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields).map(withoutUndefined);

const port = record({
  name: from('a', 'b', 'http', 'abcde', 'abcdef', ''),
  number: from(1, 80, 65535, 0, 65536),
  protocol: from('TCP', 'UDP', 'SCTP'),
  unknown: field(fc.constant('pruned')),
});
const limits = record({ share: from(0, 1e-9, 1, -1), hard: from(true, false), unknown: field(fc.constant(1)) });

/** Specs of which about half are fine. */
export const specs: fc.Arbitrary<unknown> = fc
  .record({
    text: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('ab', 'abcd', '😀😀') }, { weight: 1, arbitrary: fc.constantFrom(...texts) }),
    main: fc.oneof({ weight: 9, arbitrary: fc.constant({ name: 'http', number: 80 }) }, { weight: 1, arbitrary: port }),
    others: fc.subarray(
      Object.entries({
        text: from(...texts),
        patterned: from(...patterned),
        nullableText: from(null, '', 'x'),
        colour: from(...colours, 'Red', null),
        level: from(1, 2, 3, 4, 1.5, '1'),
        whole: from(...wholes),
        small: from(...bigs),
        large: from(...bigs),
        fives: from(...fives),
        fraction: from(...fractions),
        single: from(3.4028234663852886e38, 3.5e38, 1e39, -1e39, 1, 0.1),
        flag: from(true, false),
        percent: from(1, '50%', 1.5, 2 ** 31, ''),
        anything: field(fc.constantFrom<unknown>(1, 'x', null, { a: { b: [null, 1] } }, [1, 'a'])),
        anythingOrNull: from(null, 0),
        free: from({}, { a: 1 }, { a: null }, { a: {}, b: [] }, { a: 1, b: 2, c: 3 }),
        time: formatted(times),
        day: formatted(days),
        wait: formatted(waits),
        ipv4: formatted(ipv4s),
        ipv6: formatted(ipv6s),
        cidr: formatted(cidrs),
        uuid: formatted(uuids),
        blob: formatted(blobs),
        words: field(fc.array(from('a', 'abc', 'abcd', '😀😀😀'), { maxLength: 4 })),
        numbers: field(fc.array(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom<unknown>(-0, 1.5, '1', null)), { maxLength: 4 })),
        gaps: field(fc.array(fc.constantFrom<unknown>(1, null, 'x'), { maxLength: 3 })),
        ports: field(fc.array(fc.oneof({ weight: 6, arbitrary: port }, { weight: 1, arbitrary: hostile }), { maxLength: 6 })),
        matrix: field(fc.array(field(fc.array(from(1, 2, 1.5), { maxLength: 2 })), { maxLength: 3 })),
        labels: field(
          fc.dictionary(fc.constantFrom('a', 'b.c/d', '__proto__', 'constructor', 'toString'), from('x', 'abcd'), { maxKeys: 3 }),
        ),
        limits: field(fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(limits, hostile), { maxKeys: 2 })),
        own: field(limits),
        defaulted: field(limits),
        main: port,
        range: field(record({ low: from(-1, 1), high: from(2, 3) })),
        unknown: field(hostile),
      }).map(([name, arbitrary]) => ({ name, arbitrary })),
      { maxLength: 5 },
    ),
  })
  .chain(({ text, main, others }) => {
    const chosen = Object.fromEntries(others.map(({ name, arbitrary }) => [name, arbitrary]));
    return fc.record({ text: fc.constant(text), main: fc.constant(main), ...chosen }).map(withoutUndefined);
  });

function withoutUndefined(value: object): object {
  return JSON.parse(JSON.stringify(value)) as object;
}
