import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { HttpProblem } from '@elasti/operator-kit/program';
import { type AuthVerdict, WakeAuthenticator } from './wake-authenticator';

const problems: Record<Exclude<AuthVerdict, 'welcome'>, () => HttpProblem> = {
  unknown: () =>
    new HttpProblem(
      401,
      { message: 'a valid token is asked for: send it as Authorization: Bearer <token>' },
      { 'www-authenticate': 'Bearer realm="elasti-operator"' },
    ),
  stranger: () => new HttpProblem(403, { message: "this token is not the resolver's: see ELASTI_RESOLVER_SERVICE_ACCOUNT" }),
  undecided: () => new HttpProblem(503, { message: 'the token cannot be checked right now: call again' }, { 'retry-after': '1' }),
};

/** Lets those through whom the authenticator welcomes. */
@Injectable()
export class WakeAuthGuard implements CanActivate {
  constructor(private readonly authenticator: WakeAuthenticator) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context.switchToHttp().getRequest<IncomingMessage>();
    const verdict = await this.authenticator.check(bearerOf(headers.authorization));
    if (verdict !== 'welcome') throw problems[verdict]();
    return true;
  }
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
}
