import { apiVersionOf } from '@elasti/operator-kit';
import type { KubeList, KubeObject, ObjectMeta, ResourceDefinition } from '@elasti/operator-kit';
import type { Answer, Query, Wire } from './wire';
import type { WatchStream } from './watch-stream';

/** An object whose content the case knows and the compiler does not. */
export type Doc = KubeObject & Record<string, unknown>;

/** What a case writes down: the kind and the API version are filled in. */
export type Draft = { metadata?: ObjectMeta } & Record<string, unknown>;

export type Part = 'status' | 'scale';

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** One kind in one namespace (or cluster-wide), spoken to over the bare wire. */
export class Collection<T extends KubeObject = Doc> {
  constructor(
    private readonly wire: () => Wire,
    private readonly definition: ResourceDefinition<T>,
    private readonly namespace?: string,
  ) {}

  /** The same kind in another namespace; in all of them without a name. */
  in(namespace?: string): Collection<T> {
    return new Collection(this.wire, this.definition, namespace);
  }

  path(name?: string, part?: Part): string {
    const root = this.definition.group ? `/apis/${apiVersionOf(this.definition)}` : `/api/${this.definition.version}`;
    const scope = this.namespace ? `/namespaces/${this.namespace}` : '';
    return [`${root}${scope}/${this.definition.plural}`, name, part].filter(Boolean).join('/');
  }

  draft(draft: Draft): Draft {
    return { apiVersion: apiVersionOf(this.definition), kind: this.definition.kind, ...draft };
  }

  create(draft: Draft, query?: Query): Promise<Answer<T>> {
    return this.wire().call('POST', this.path(), { body: this.draft(draft), query });
  }

  get(name: string, part?: Part, query?: Query): Promise<Answer<T>> {
    return this.wire().call('GET', this.path(name, part), { query });
  }

  list(query?: Query): Promise<Answer<KubeList<T>>> {
    return this.wire().call('GET', this.path(), { query });
  }

  replace(name: string, draft: Draft, query?: Query, part?: Part): Promise<Answer<T>> {
    return this.wire().call('PUT', this.path(name, part), { body: this.draft(draft), query });
  }

  patch(name: string, type: 'json' | 'merge' | 'strategic', body: unknown, query?: Query, part?: Part): Promise<Answer<T>> {
    return this.wire().call('PATCH', this.path(name, part), { body, query, contentType: patchTypes[type] });
  }

  apply(name: string, fieldManager: string, draft: Draft, query?: Query, part?: Part): Promise<Answer<T>> {
    const body = this.draft({ ...draft, metadata: { name, ...draft.metadata } });
    return this.wire().call('PATCH', this.path(name, part), { body, query: { fieldManager, ...query }, contentType: patchTypes.apply });
  }

  delete(name: string, options?: object, query?: Query): Promise<Answer<T>> {
    return this.wire().call('DELETE', this.path(name), { body: options, query });
  }

  deleteAll(query?: Query): Promise<Answer<T>> {
    return this.wire().call('DELETE', this.path(), { query });
  }

  watch(query?: Query): Promise<WatchStream<T>> {
    return this.wire().watch(this.path(), { query }) as Promise<WatchStream<T>>;
  }

  /** Creates what a case starts from. */
  async given(draft: Draft, query?: Query): Promise<T> {
    return succeeded(await this.create(draft, query));
  }

  async read(name: string): Promise<T> {
    return succeeded(await this.get(name));
  }

  /** The names that a list finds. */
  async names(query?: Query): Promise<string[]> {
    return succeeded(await this.list(query)).items.map(({ metadata }) => metadata.name ?? '');
  }
}

/** The body of an answer that has to be a success for the case to make sense. */
export function succeeded<T>(answer: Answer<T>): T {
  if (answer.code >= 300) throw new Error(`answered ${answer.code}: ${JSON.stringify(answer.status)}`);
  return answer.body;
}
