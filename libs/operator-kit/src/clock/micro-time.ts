/** Kubernetes' MicroTime, which always has six fractional digits: `2030-01-01T00:00:00.000000Z`. */
export function formatMicroTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
