import { HttpException } from '@nestjs/common';

export interface HttpProblemBody {
  /** What is wrong and what to do about it, for people. */
  readonly message: string;
  readonly [field: string]: unknown;
}

/** An answer that says what is wrong, with the headers that belong to it: Allow, Retry-After, WWW-Authenticate. */
export class HttpProblem extends HttpException {
  constructor(
    status: number,
    readonly body: HttpProblemBody,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(body, status);
  }
}
