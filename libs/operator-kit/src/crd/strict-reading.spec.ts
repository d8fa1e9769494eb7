import { Field } from './field';
import { readStrictly } from './strict-reading';

class Port {
  @Field({ type: 'integer', minimum: 1 })
  number!: number;
}

class Plan {
  @Field({ default: 'small', enum: ['small', 'large'] })
  size!: 'small' | 'large';

  @Field({ arrayOf: Port, default: [] })
  ports!: Port[];

  @Field({ mapOf: 'string', default: {} })
  labels!: Record<string, string>;

  @Field({ type: 'object', optional: true })
  free?: object;
}

describe('readStrictly', () => {
  it('fills in defaults, and takes a null for an absent field', () => {
    expect(readStrictly(Plan, { size: null, ports: [{ number: 1 }] })).toEqual({
      value: { size: 'small', ports: [{ number: 1 }], labels: {} },
      problems: [],
    });
  });

  it('says every mistake at once, fields that nobody knows among them', () => {
    const { problems } = readStrictly(Plan, { size: 'huge', colour: 'red', ports: [{ number: 0, name: 'a' }], labels: { a: 1 } });

    expect(problems.map(({ field, message }) => `${field} ${message}`)).toEqual([
      'size must be one of "small", "large"',
      'ports[0].number must be at least 1',
      'labels.a must be of type string',
      'colour is not known; known here: size, ports, labels, free',
      'ports[0].name is not known; known here: number',
    ]);
  });

  it('leaves the keys of maps and of free objects to whoever writes them', () => {
    expect(readStrictly(Plan, { labels: { anything: 'goes' }, free: { as: { you: 'like' } } }).problems).toEqual([]);
  });

  it.each(['text', 7, ['a list']])('refuses %j, which is no object', (value) => {
    expect(readStrictly(Plan, value).problems).toEqual([{ field: '', message: 'must be of type object' }]);
  });
});
