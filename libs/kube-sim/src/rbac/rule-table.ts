import { type SimRequest } from '../sim-request';

/** One permission, in the words of an RBAC rule; `*` stands for everything. */
export interface AccessRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  /** Where the rule holds; by default in every namespace and at the cluster scope. */
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface SimUser {
  readonly name: string;
  readonly token: string;
  readonly groups?: readonly string[];
  readonly rules: readonly AccessRule[];
}

/** Users by bearer token and what each may do. */
export interface RuleTableSettings {
  readonly users: readonly SimUser[];
}

export interface AccessQuestion {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

const ANONYMOUS = 'system:anonymous';
const ADMIN = 'system:admin';

/** What every authenticated user may read, so that clients can find out what the server offers. */
const DISCOVERY: AccessRule = {
  verbs: ['get'],
  nonResourceURLs: [
    '/api',
    '/api/*',
    '/apis',
    '/apis/*',
    '/healthz',
    '/livez',
    '/readyz',
    '/openapi',
    '/openapi/*',
    '/version',
    '/version/',
  ],
};
const SELF_REVIEW: AccessRule = {
  verbs: ['create'],
  apiGroups: ['authorization.k8s.io', 'authentication.k8s.io'],
  resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'selfsubjectreviews'],
};

/**
 * Tells users by their token and decides what they may do.
 *
 * Without a table everyone is an administrator. With one, whoever is not in it may do nothing.
 */
export class RuleTable {
  private readonly byToken: ReadonlyMap<string, SimUser>;
  private readonly byName: ReadonlyMap<string, SimUser>;

  constructor(private readonly settings: RuleTableSettings | undefined) {
    const users = settings?.users ?? [];
    this.byToken = new Map(users.map((user) => [user.token, user]));
    this.byName = new Map(users.map((user) => [user.name, user]));
  }

  /** The name of who is asking; undefined for a token that nobody has. */
  userOf(authorization: string | undefined): string | undefined {
    if (!this.settings) return ADMIN;
    const token = /^Bearer\s+(.+)$/i.exec(authorization ?? '')?.[1];
    return token === undefined ? ANONYMOUS : this.byToken.get(token)?.name;
  }

  /** The user a token belongs to, as a TokenReview answers it. */
  userOfToken(token: string): SimUser | undefined {
    return this.byToken.get(token);
  }

  isAllowed(question: AccessQuestion): boolean {
    if (!this.settings) return true;
    const user = this.byName.get(question.user);
    if (!user) return false;
    return [...user.rules, DISCOVERY, SELF_REVIEW].some((rule) => covers(rule, question));
  }
}

export function questionOf(request: SimRequest): AccessQuestion {
  const { user, group, resource, subresource, namespace, name, path } = request;
  const verb = request.verb === 'path' ? request.method.toLowerCase() : request.verb;
  return { user, verb, group, resource, subresource, namespace, name, path };
}

function covers(rule: AccessRule, asked: AccessQuestion): boolean {
  if (!includes(rule.verbs, asked.verb)) return false;
  if (asked.resource === '') return (rule.nonResourceURLs ?? []).some((pattern) => matchesPath(pattern, asked.path));
  const resource = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const names = rule.resourceNames ?? [];
  return (
    includes(rule.apiGroups ?? [], asked.group) &&
    (includes(rule.resources ?? [], resource) || (rule.resources ?? []).includes(`*/${asked.subresource}`)) &&
    (names.length === 0 || names.includes(asked.name)) &&
    (rule.namespaces === undefined || (asked.namespace !== '' && includes(rule.namespaces, asked.namespace)))
  );
}

const includes = (values: readonly string[], value: string): boolean => values.includes('*') || values.includes(value);

const matchesPath = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));

/** The reason the API gives for a refusal. */
export function refusalText(asked: AccessQuestion): string {
  if (asked.resource === '') return `User "${asked.user}" cannot ${asked.verb} path "${asked.path}"`;
  const resource = asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const where = asked.namespace === '' ? 'at the cluster scope' : `in the namespace "${asked.namespace}"`;
  return `User "${asked.user}" cannot ${asked.verb} resource "${resource}" in API group "${asked.group}" ${where}`;
}
