import { readSample } from './sample';

const body = (resultType: string, result: unknown, more: object = {}) =>
  JSON.stringify({ status: 'success', data: { resultType, result }, ...more });
const vector = (...values: unknown[]) =>
  body(
    'vector',
    values.map((value) => ({ metric: {}, value: [1_700_000_000.5, value] })),
  );

describe('readSample', () => {
  it.each([
    ['0', 0],
    ['0.25', 0.25],
    ['-1', -1],
    ['1e+06', 1e6],
    ['1e-07', 1e-7],
  ])('reads the only element of a vector: %s', (text, expected) => {
    expect(readSample(vector(text))).toBe(expected);
  });

  it('reads a scalar', () => {
    expect(readSample(body('scalar', [1_700_000_000, '3']))).toBe(3);
  });

  it('takes remarks on the query for what they are', () => {
    const remarks = { warnings: ['PromQL warning: bucket label missing'], infos: ['PromQL info: might not be a counter'] };

    expect(readSample(body('scalar', [0, '3'], remarks))).toBe(3);
  });

  it.each([
    ['no sample', vector()],
    ['several samples', vector('1', '2')],
    ['not a number', vector('NaN')],
    ['not a number', vector('+Inf')],
    ['not a number', vector('-Inf')],
    ['not a number', vector('1e999')],
    ['not a number', vector('')],
    ['not a number', vector('0x10')],
    ['not a number', vector(null)],
    ['not a number', vector(1)],
    ['not a number', body('vector', [{ metric: {}, histogram: [0, {}] }])],
    ['not a number', body('vector', [{ metric: {}, value: [] }])],
    ['not a number', body('vector', [{ metric: {}, value: [0] }])],
    ['not a number', body('vector', [null])],
    ['not a number', body('scalar', [0, 'NaN'])],
    ['not a number', body('matrix', [{ metric: {}, values: [[0, '1']] }])],
    ['not a number', body('string', [0, 'text'])],
    ['malformed', ''],
    ['malformed', '<html>'],
    ['malformed', 'null'],
    ['malformed', '{}'],
    ['malformed', JSON.stringify({ status: 'error', errorType: 'bad_data' })],
    ['malformed', JSON.stringify({ status: 'success' })],
    ['partial', body('scalar', [0, '0'], { warnings: ['receive series from store: connection refused'] })],
    ['partial', body('scalar', [0, '0'], { isPartial: true })],
  ])('finds %s in %s', (failure, answer) => {
    expect(() => readSample(answer)).toThrow(expect.objectContaining({ failure }) as Error);
  });
});
