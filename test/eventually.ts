import { eventually as repeatUntilItPasses } from './conformance/eventually';

/** Looks until `check` gives something; fails with what went wrong last. */
export function eventually<T>(what: string, check: () => Promise<T | undefined>, deadlineMs = 60_000): Promise<T> {
  return repeatUntilItPasses(
    async () => {
      const found = await check();
      if (found === undefined) throw new Error(`${what}: not yet`);
      return found;
    },
    { deadlineMs },
  );
}
