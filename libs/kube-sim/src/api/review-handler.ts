import { type AccessQuestion, type RuleTable } from '../rbac';
import { type JsonObject, asObject, asString } from '../store';
import { pathMethodNotAllowed } from './api.errors';
import { mediaTypeOf, parseObject, readBody } from './request-body';
import { type Exchange } from './resource-handler';

/** Answers questions about access and tokens from the rule table. */
export class ReviewHandler {
  constructor(private readonly rules: RuleTable) {}

  async handle(kind: string, { request, incoming, responder }: Exchange): Promise<void> {
    if (request.verb !== 'create') throw pathMethodNotAllowed();
    const body = parseObject(await readBody(incoming), mediaTypeOf(incoming), kind);
    const spec = asObject(body.spec);
    const status = kind === 'TokenReview' ? this.tokenStatus(spec) : this.accessStatus(spec, asString(spec.user) || request.user);
    responder.value(201, { ...body, metadata: asObject(body.metadata), status });
  }

  private accessStatus(spec: JsonObject, user: string): JsonObject {
    const attributes = asObject(spec.resourceAttributes);
    const question: AccessQuestion = {
      user,
      verb: asString(attributes.verb) || asString(asObject(spec.nonResourceAttributes).verb),
      group: asString(attributes.group),
      resource: asString(attributes.resource),
      subresource: asString(attributes.subresource),
      namespace: asString(attributes.namespace),
      name: asString(attributes.name),
      path: asString(asObject(spec.nonResourceAttributes).path),
    };
    return { allowed: this.rules.isAllowed(question) };
  }

  private tokenStatus(spec: JsonObject): JsonObject {
    const user = this.rules.userOfToken(asString(spec.token));
    if (!user) return { user: {}, error: 'invalid bearer token' };
    return { authenticated: true, user: { username: user.name, groups: [...(user.groups ?? []), 'system:authenticated'] } };
  }
}
