import { AlreadyExistsError, apiErrorFor, ConflictError, NotFoundError } from './kube.errors';
import { retryOnConflict } from './retry-on-conflict';

interface Counter {
  version: number;
  count: number;
}

function failure(code: number, reason: string) {
  return apiErrorFor(code, { kind: 'Status', apiVersion: 'v1', reason }, 'PUT /x');
}

/** A server on which others write `lostRaces` times, each between our reading and our writing. */
function setup(lostRaces: number) {
  let stored: Counter = { version: 1, count: 0 };
  let races = lostRaces;
  const writes: Counter[] = [];
  const read = () => Promise.resolve({ ...stored });
  const write = (changed: Counter): Promise<Counter> => {
    writes.push(changed);
    if (races-- > 0) stored = { version: stored.version + 1, count: stored.count + 10 };
    if (changed.version !== stored.version) return Promise.reject(failure(409, 'Conflict'));
    stored = { ...changed, version: stored.version + 1 };
    return Promise.resolve(stored);
  };
  return { read, write, writes };
}

const increment = (fresh: Counter): Counter => ({ ...fresh, count: fresh.count + 1 });

describe('retryOnConflict', () => {
  it('a conflict is retried at most 5 times on fresh state', async () => {
    const five = setup(5);
    const always = setup(100);

    await expect(retryOnConflict(five.read, increment, five.write)).resolves.toMatchObject({ count: 51 });
    await expect(retryOnConflict(always.read, increment, always.write)).rejects.toThrow(ConflictError);

    expect(five.writes.map(({ count }) => count)).toEqual([1, 11, 21, 31, 41, 51]);
    expect(always.writes).toHaveLength(6);
  });

  it('writes nothing when there is nothing to change', async () => {
    const { read, write, writes } = setup(0);

    await expect(retryOnConflict(read, () => undefined, write)).resolves.toEqual({ version: 1, count: 0 });

    expect(writes).toHaveLength(0);
  });

  it.each([
    ['another failure', failure(404, 'NotFound'), NotFoundError],
    ['a name that is taken', failure(409, 'AlreadyExists'), AlreadyExistsError],
  ])('does not retry %s', async (_what, error, type) => {
    const { read } = setup(0);
    let writes = 0;

    const updating = retryOnConflict(read, increment, () => {
      writes++;
      return Promise.reject(error);
    });

    await expect(updating).rejects.toThrow(type);
    expect(writes).toBe(1);
  });
});
