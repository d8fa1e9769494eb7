import type { ActivityReply, RehearsalReply, RehearsalRequest } from '@elasti/api';
import { HttpProblem, TextBody } from '@elasti/operator-kit/program';
import { All, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { ActivityReport, Rehearsal, RehearsalError } from '../activity';
import { ServiceDirectory, type ServiceRef } from '../directory';
import { buildCrdCacheStatus, type CrdCacheStatus } from './crd-cache-status';
import { RehearsalPipe } from './rehearsal.pipe';
import { ServiceQuery } from './service-query';

/** What operators and people ask of one resolver. */
@Controller()
export class InternalController {
  constructor(
    private readonly activity: ActivityReport,
    private readonly rehearsal: Rehearsal,
    private readonly directory: ServiceDirectory,
  ) {}

  @Get('activity')
  allActivity(@ServiceQuery() service: ServiceRef | undefined): ActivityReply {
    return service ? this.activity.one(service) : this.activity.all();
  }

  @Get('queue-status')
  queueStatus(@ServiceQuery() service: ServiceRef | undefined): { readonly queueStatus: 0 | 1 } {
    if (!service) throw new HttpProblem(400, { message: 'namespace and service are needed: /queue-status?namespace=shop&service=web' });
    return this.activity.queueStatus(service);
  }

  @Get('crd-cache-status')
  crdCacheStatus(): CrdCacheStatus {
    return buildCrdCacheStatus(this.directory);
  }

  @Post('rehearse')
  @HttpCode(200)
  async rehearse(
    @TextBody(RehearsalPipe) request: RehearsalRequest,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<RehearsalReply> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Error('the caller has left')));
    try {
      return await this.rehearsal.reply(request, gone.signal);
    } catch (error) {
      if (!(error instanceof RehearsalError)) throw error;
      const { reason, message } = error;
      throw reason === 'too large' ? new HttpProblem(413, { message }) : new HttpProblem(503, { message }, { 'retry-after': '1' });
    }
  }

  @All('rehearse')
  rehearseOtherwise(): never {
    throw new HttpProblem(405, { message: 'only POST is answered here' }, { allow: 'POST' });
  }

  @All(['activity', 'queue-status', 'crd-cache-status'])
  readOtherwise(): never {
    throw new HttpProblem(405, { message: 'only GET is answered here' }, { allow: 'GET, HEAD' });
  }
}
