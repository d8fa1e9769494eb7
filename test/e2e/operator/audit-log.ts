import { exec } from 'node:child_process';
import { promisify } from 'node:util';

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly responseStatus?: { readonly code?: number };
}

const run = promisify(exec);

/**
 * The calls of an account that the API server refused, as its audit log has them.
 *
 * READ_AUDIT_LOG is the command that prints that log, a line of JSON for each call; where nobody can read it there is nothing to tell.
 */
export async function refusedCalls(username: string, since: Date): Promise<string[]> {
  const command = process.env.READ_AUDIT_LOG;
  if (command === undefined) return [];
  const { stdout } = await run(command, { maxBuffer: 256 << 20 });
  const events = stdout.split('\n').filter((line) => line.includes(username) && line.endsWith('}'));
  const own = events.map((line) => JSON.parse(line) as AuditEvent).filter(({ user }) => user.username === username);
  const recent = own.filter(({ requestReceivedTimestamp }) => new Date(requestReceivedTimestamp) >= since);
  if (recent.length === 0) throw new Error('the audit log has no call of the account at all, so it proves nothing');
  return recent.filter(({ responseStatus }) => responseStatus?.code === 403).map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}
