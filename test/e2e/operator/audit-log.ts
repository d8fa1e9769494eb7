import { exec } from 'node:child_process';
import { promisify } from 'node:util';

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: { readonly resource?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** A call to the API server, as its audit log has it. */
export interface AuditedCall {
  readonly verb: string;
  readonly uri: string;
  /** Empty for calls that are about none. */
  readonly resource: string;
  readonly code?: number;
}

const run = promisify(exec);

/**
 * The calls of an account to the API server.
 *
 * READ_AUDIT_LOG is the command that prints that log, a line of JSON for each call; `undefined` where nobody can read it.
 */
export async function callsOf(username: string, since: Date): Promise<AuditedCall[] | undefined> {
  const command = process.env.READ_AUDIT_LOG;
  if (command === undefined) return undefined;
  const { stdout } = await run(command, { maxBuffer: 256 << 20 });
  const events = stdout.split('\n').filter((line) => line.includes(username) && line.endsWith('}'));
  const own = events.map((line) => JSON.parse(line) as AuditEvent).filter(({ user }) => user.username === username);
  const recent = own.filter(({ requestReceivedTimestamp }) => new Date(requestReceivedTimestamp) >= since);
  if (recent.length === 0) throw new Error('the audit log has no call of the account at all, so it proves nothing');
  return recent.map(({ verb, requestURI: uri, objectRef, responseStatus }) => ({
    verb,
    uri,
    resource: objectRef?.resource ?? '',
    code: responseStatus?.code,
  }));
}

/** The calls of an account that the API server refused; none where nobody can tell. */
export async function refusedCalls(username: string, since: Date): Promise<string[]> {
  const calls = (await callsOf(username, since)) ?? [];
  return calls.filter(({ code }) => code === 403).map(({ verb, uri }) => `${verb} ${uri}`);
}
