import { GoneError } from '../client';
import type { KubeList, KubeObject, KubeReader, ListOptions, ResourceDefinition, ScopeOptions } from '../client';

const pageSize = 500;
const timeoutMs = 60_000;

export interface ListedPage<T> {
  readonly items: T[];
  /** A continue token expired half way: this page starts the list over. */
  readonly fresh: boolean;
}

/**
 * One consistent list, page by page, and in the end its version.
 *
 * `version` is how old the answer may be: `0` any cached one, empty the most recent, else not older than that.
 */
export async function* listPages<T extends KubeObject>(
  reader: KubeReader,
  definition: ResourceDefinition<T>,
  scope: ScopeOptions,
  version: string,
): AsyncGenerator<ListedPage<T>, string> {
  const from = startAt(version);
  let list = await reader.list(definition, { ...scope, ...from, limit: pageSize, timeoutMs });
  yield { items: list.items, fresh: true };

  while (list.metadata.continue) {
    const next: KubeList<T> | undefined = await nextPage(reader, definition, scope, list.metadata.continue);
    list = next ?? (await reader.list(definition, { ...scope, ...from, timeoutMs }));
    yield { items: list.items, fresh: !next };
  }
  return list.metadata.resourceVersion ?? '';
}

function startAt(version: string): ListOptions {
  if (version === '' || version === '0') return version ? { resourceVersion: version } : {};
  // Without the match a limit would make it mean "exactly this version", which may be compacted away.
  return { resourceVersion: version, resourceVersionMatch: 'NotOlderThan' };
}

async function nextPage<T extends KubeObject>(
  reader: KubeReader,
  definition: ResourceDefinition<T>,
  scope: ScopeOptions,
  token: string,
): Promise<KubeList<T> | undefined> {
  try {
    return await reader.list(definition, { ...scope, limit: pageSize, continue: token, timeoutMs });
  } catch (error) {
    if (error instanceof GoneError) return undefined;
    throw error;
  }
}
