const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
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

export function isQuantity(text: string): boolean {
  return QUANTITY.test(text);
}

/** Less, equal or more: -1, 0, 1. Both texts must be quantities. */
export function compareQuantities(left: string, right: string): number {
  return Math.sign(valueOf(left) - valueOf(right));
}

function valueOf(text: string): number {
  const [, digits = '', suffix = ''] = QUANTITY.exec(text) ?? [];
  const factor = FACTORS[suffix];
  return factor === undefined ? Number(`${digits}${suffix}`) : Number(digits) * factor;
}
