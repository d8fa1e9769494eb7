import { Field } from '@elasti/operator-kit';

export const pathMatchTypes = ['Exact', 'PathPrefix', 'RegularExpression'] as const;
export const valueMatchTypes = ['Exact', 'RegularExpression'] as const;
export const probeMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'] as const;
export const probeStatuses = [200, 204, 400, 401, 403, 404, 500, 502, 503, 504] as const;

/**
 * `matches` on any string fails when the pattern does not compile, whatever the string. Not with `||`: that passes over a failure
 * when its other side is true, and a choice does not.
 */
const compiles = {
  rule: "self.type != 'RegularExpression' || (''.matches(self.value) ? true : true)",
  message: 'value must be a regular expression in RE2 syntax',
};

export class PathMatch {
  @Field({ description: 'How the path is compared', enum: pathMatchTypes, default: 'PathPrefix' })
  type?: (typeof pathMatchTypes)[number];

  @Field({ description: 'What the path is compared with', maxLength: 1024, default: '/' })
  value?: string;
}

export class HeaderMatch {
  @Field({ description: 'How the value is compared', enum: valueMatchTypes, default: 'Exact' })
  type?: (typeof valueMatchTypes)[number];

  @Field({ description: 'The header; upper and lower case are the same', minLength: 1, maxLength: 256 })
  name!: string;

  @Field({ description: 'What its value is compared with', minLength: 1, maxLength: 4096 })
  value!: string;
}

export class QueryParamMatch {
  @Field({ description: 'How the value is compared', enum: valueMatchTypes, default: 'Exact' })
  type?: (typeof valueMatchTypes)[number];

  @Field({ description: 'The parameter', minLength: 1, maxLength: 256 })
  name!: string;

  @Field({ description: 'What its value is compared with', minLength: 1, maxLength: 1024 })
  value!: string;
}

export class FixedResponse {
  @Field({ description: 'The status to answer with', type: 'integer', format: 'int32', enum: probeStatuses })
  status!: (typeof probeStatuses)[number];

  @Field({ description: 'The body to answer with; a 204 has none', optional: true })
  body?: string;
}

/** A request that is answered while no pod is ready, without waking anything. All that is said must match; the first entry that does wins. */
export class ProbeResponse {
  @Field({ description: 'Default: every path', optional: true, validations: [compiles] })
  path?: PathMatch;

  @Field({ description: 'All of these headers', arrayOf: { type: HeaderMatch, validations: [compiles] }, maxItems: 16, optional: true })
  headers?: HeaderMatch[];

  @Field({
    description: 'All of these query parameters',
    arrayOf: { type: QueryParamMatch, validations: [compiles] },
    maxItems: 16,
    optional: true,
  })
  queryParams?: QueryParamMatch[];

  @Field({ description: 'Default: every method', enum: probeMethods, optional: true })
  method?: (typeof probeMethods)[number];

  @Field({ description: 'The answer' })
  response!: FixedResponse;
}
