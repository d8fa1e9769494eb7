import { isRecord, parseDecimal } from './plain-values';
import { TriggerError } from './trigger-outcome';

/**
 * The one number in an answer of the query API, of a vector with one element or of a scalar.
 *
 * An answer that the server itself calls incomplete is refused: what a missing store would have added could be the traffic.
 * @throws TriggerError
 */
export function readSample(body: string): number {
  const answer = parseJson(body);
  if (!isRecord(answer) || answer.status !== 'success' || !isRecord(answer.data)) throw malformed();
  if (answer.isPartial === true || hasPartialWarning(answer.warnings)) {
    throw new TriggerError('partial', 'the answer is incomplete: a part of the stores behind the server did not answer');
  }
  return readValue(sampleOf(answer.data));
}

/** The pair of a time and a value. */
function sampleOf({ resultType, result }: Record<string, unknown>): unknown {
  if (resultType === 'scalar') return result;
  if (resultType !== 'vector' || !Array.isArray(result)) {
    throw new TriggerError('not a number', 'the query gives no instant vector: write one that gives a single number');
  }
  if (result.length === 0) throw new TriggerError('no sample', 'the query gives nothing: add "or vector(0)" if that means idle');
  if (result.length > 1) {
    throw new TriggerError('several samples', `the query gives ${result.length} samples: put sum() or max() around it`);
  }
  const [only] = result as unknown[];
  return isRecord(only) ? only.value : undefined;
}

function readValue(sample: unknown): number {
  const text: unknown = Array.isArray(sample) && sample.length === 2 ? sample[1] : undefined;
  const value = typeof text === 'string' ? parseDecimal(text) : undefined;
  if (value === undefined) throw new TriggerError('not a number', 'the query gives no finite number');
  return value;
}

/** Remarks on the query itself begin with PromQL; all others are about stores that could not be read. */
function hasPartialWarning(warnings: unknown): boolean {
  return Array.isArray(warnings) && warnings.some((warning) => typeof warning === 'string' && !warning.startsWith('PromQL '));
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw malformed();
  }
}

function malformed(): TriggerError {
  return new TriggerError('malformed', 'the answer is not one of the Prometheus query API: check the server address');
}
