import { exec } from 'node:child_process';
import { promisify } from 'node:util';

interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A call to the API server, as its audit log has it; a watch is there once it has begun. */
export interface AuditedCall {
  readonly id: string;
  /** `over` when the API server has said all there was to say. */
  readonly state: 'begun' | 'over';
  readonly verb: string;
  readonly uri: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Empty for calls that are about none. */
  readonly resource: string;
  /** With its parent, such as `deployments/scale`; the resource itself where there is none. */
  readonly subresource: string;
  /** None for calls that are about a whole cluster. */
  readonly namespace?: string;
  readonly code?: number;
  /** Whether the caller's roles allow it; a call that they allow can be forbidden by others, such as a namespace that is going. */
  readonly allowed: 'yes' | 'no';
}

const run = promisify(exec);

/** Where the audit log can be read, the tests that need it run. */
export const itWithAuditLog = process.env.READ_AUDIT_LOG ? it : it.skip;

/**
 * The calls of an account to the API server.
 *
 * READ_AUDIT_LOG is the command that prints that log, a line of JSON for each call.
 */
export async function callsOf(username: string, since: Date, expected: 'some' | 'may-be-none' = 'some'): Promise<AuditedCall[]> {
  const { stdout } = await run(process.env.READ_AUDIT_LOG ?? '', { maxBuffer: 256 << 20 });
  const events = stdout.split('\n').filter((line) => line.includes(username) && line.endsWith('}'));
  const own = events.map((line) => JSON.parse(line) as AuditEvent).filter(({ user }) => user.username === username);
  const recent = own.filter(({ requestReceivedTimestamp }) => new Date(requestReceivedTimestamp) >= since);
  if (recent.length === 0 && expected === 'some') throw new Error('the audit log has no call of the account at all, so it proves nothing');
  return recent.map(asCall);
}

function asCall({ auditID: id, stage, verb, requestURI: uri, objectRef, responseStatus, annotations }: AuditEvent): AuditedCall {
  const { apiGroup: group = '', resource = '', subresource, namespace } = objectRef ?? {};
  return {
    id,
    state: stage === 'ResponseStarted' ? 'begun' : 'over',
    verb,
    uri,
    group,
    resource,
    subresource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    code: responseStatus?.code,
    allowed: annotations?.['authorization.k8s.io/decision'] === 'allow' ? 'yes' : 'no',
  };
}
