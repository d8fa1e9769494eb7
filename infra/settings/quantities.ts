import { quantityPattern } from './patterns';

const factors: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** What a quantity such as `50m` or `1Gi` amounts to; NaN of a text that is none. */
export function amountOf(quantity: number | string): number {
  const text = String(quantity);
  if (!new RegExp(quantityPattern).test(text)) return NaN;
  const [, digits = '', suffix = ''] = /^([0-9.]+)(.*)$/.exec(text) ?? [];
  const factor = factors[suffix];
  return factor === undefined ? Number(text) : Number(digits) * factor;
}
