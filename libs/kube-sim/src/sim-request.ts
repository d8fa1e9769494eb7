export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What rules, faults and counters see of a request. */
export interface SimRequest {
  /** The API's verb, or `path` for what is not a resource, such as `/version`. */
  readonly verb: Verb | 'path';
  readonly method: string;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  /** The plural name, as in `pods`; empty for a path. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
  readonly user: string;
}

export type RequestPredicate = (request: SimRequest) => boolean;
