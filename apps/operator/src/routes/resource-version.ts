/**
 * Whether a version of an object is newer than another of the same kind.
 *
 * Versions are numbers that grow, as every API server over etcd gives them; of any other sort, one that differs counts as newer.
 */
export function isNewerVersion(version: string | undefined, than: string | undefined): boolean {
  if (version === than) return false;
  if (version === undefined || than === undefined) return than === undefined;
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return true;
  return BigInt(version) > BigInt(than);
}
