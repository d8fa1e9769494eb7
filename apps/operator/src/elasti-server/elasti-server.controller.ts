import type { ElastiService } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import { All, Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import type { WakeOutcome } from '../controller';
import { ElastiDirectory } from '../crd-directory';
import { HttpProblem, SparseLog, TextBody } from '@elasti/operator-kit/program';
import { WakeAuthGuard } from './auth/wake-auth.guard';
import { buildCrdCache, type CrdCache } from './crd-cache';
import type { IncomingRequestDto } from './incoming-request.dto';
import { IncomingRequestPipe } from './incoming-request.pipe';
import { WakeDesk } from './wake-desk';
import { WakeNotAwaitedError } from './wake-desk.errors';
import { buildWakeFailure, notFilled } from './wake-failure';

/**
 * What resolvers ask of the operator, on any replica.
 *
 * A wake is answered with 200 only when the API server has accepted it; with 503 and Retry-After while it cannot be.
 */
@Controller()
export class ElastiServerController {
  constructor(
    private readonly directory: ElastiDirectory,
    private readonly desk: WakeDesk,
    private readonly log: SparseLog,
  ) {}

  @Post('informer/incoming-request')
  @HttpCode(200)
  @UseGuards(WakeAuthGuard)
  async incomingRequest(@TextBody(IncomingRequestPipe) { svc, namespace }: IncomingRequestDto): Promise<{ message: string }> {
    const elastiService = this.directory.forService(namespace, svc);
    if (!elastiService) {
      if (!this.directory.isFilled) throw notFilled();
      throw new HttpProblem(404, {
        message: `no ElastiService speaks for Service ${svc} in ${namespace}: create one, or check both names`,
      });
    }
    if ((await this.wake(elastiService)) === 'refused') {
      throw new HttpProblem(409, { message: 'the ElastiService is a dry run, so its target is left alone: set spec.mode to Active' });
    }
    return { message: 'Request received successfully!' };
  }

  @All('informer/incoming-request')
  incomingRequestOtherwise(): never {
    throw new HttpProblem(405, { message: 'only POST is answered here' }, { allow: 'POST' });
  }

  @Get('crd-cache')
  @UseGuards(WakeAuthGuard)
  crdCache(): CrdCache {
    return buildCrdCache(this.directory);
  }

  @All('crd-cache')
  crdCacheOtherwise(): never {
    throw new HttpProblem(405, { message: 'only GET is answered here' }, { allow: 'GET, HEAD' });
  }

  private async wake(elastiService: Frozen<ElastiService>): Promise<WakeOutcome> {
    try {
      return await this.desk.wake(elastiService);
    } catch (error) {
      const failure = buildWakeFailure(error, elastiService);
      if (!failure) throw error;

      const isExpected = error instanceof WakeNotAwaitedError && error.why === 'stopping';
      const { namespace, name } = elastiService.metadata;
      if (!isExpected) this.log.warn('a wake call was answered with 503', { namespace, name, error });
      throw failure;
    }
  }
}
