import { GoneError } from './kube.errors';
import type { KubeList, KubeObject } from './kube-object';
import type { ListOptions } from './requests';

const defaultPageSize = 500;

type PageRequest = Pick<ListOptions, 'limit' | 'continue'>;

/**
 * Every item of a list, page by page, each object once.
 *
 * When the server has forgotten the version that the pages belong to, the list goes on from the token it offers instead, at a newer version;
 * without one everything is read again in one piece, leaving out what was already handed out.
 */
export async function* listPages<T extends KubeObject>(
  list: (page: PageRequest) => Promise<KubeList<T>>,
  pageSize = defaultPageSize,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string | undefined>();
  let page: PageRequest | undefined = { limit: pageSize };
  while (page) {
    const answer: KubeList<T> | GoneError = await expiryOf(list(page));
    if (answer instanceof GoneError) {
      if (page.continue === undefined) throw answer;
      const offered: string | undefined = answer.status.metadata?.continue;
      page = offered ? { limit: pageSize, continue: offered } : {};
      continue;
    }
    for (const item of answer.items) {
      if (seen.has(item.metadata.uid)) continue;
      if (item.metadata.uid) seen.add(item.metadata.uid);
      yield item;
    }
    const token: string | undefined = answer.metadata.continue;
    page = token ? { limit: pageSize, continue: token } : undefined;
  }
}

async function expiryOf<R>(listing: Promise<R>): Promise<R | GoneError> {
  try {
    return await listing;
  } catch (error) {
    if (error instanceof GoneError) return error;
    throw error;
  }
}
