/** A text that is no duration; `message` says what is wrong with it. */
export class GoDurationError extends Error {
  override readonly name = 'GoDurationError';
}

const unitNs: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // The micro sign and the Greek letter look the same, and both are in use.
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const largestNs = 2n ** 63n - 1n;

/**
 * The milliseconds of a duration in the syntax of Go's time.ParseDuration: `1h30m`, `1.5h`, `-300ms`, `0`.
 *
 * Fractions of a nanosecond are cut off, and what does not fit Go's 64 bits of nanoseconds is refused, as there.
 * @throws GoDurationError
 */
export function parseGoDuration(text: string): number {
  const [, sign, amount = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (amount === '0') return 0;
  if (amount === '') throw malformed(text);

  const ns = sumOfParts(amount, text);
  const limitNs = sign === '-' ? largestNs + 1n : largestNs;
  if (ns > limitNs) throw new GoDurationError(`"${text}" is too long: the longest duration is about 292 years`);
  const ms = Number(ns) / 1e6;
  return sign === '-' && ms !== 0 ? -ms : ms;
}

function sumOfParts(amount: string, text: string): bigint {
  let ns = 0n;
  for (let rest = amount; rest !== '';) {
    const [part = '', whole = '', fraction = '', unit = ''] = /^(\d*)(?:\.(\d*))?([^\d.]+)/.exec(rest) ?? [];
    const perUnit = Object.hasOwn(unitNs, unit) ? unitNs[unit] : undefined;
    if (perUnit === undefined || whole + fraction === '') throw malformed(text);
    ns += BigInt(whole) * perUnit + (BigInt(fraction) * perUnit) / 10n ** BigInt(fraction.length);
    rest = rest.slice(part.length);
  }
  return ns;
}

function malformed(text: string): GoDurationError {
  return new GoDurationError(`"${text}" is not a duration: write numbers with units h, m, s, ms, us or ns, such as 1h30m`);
}
