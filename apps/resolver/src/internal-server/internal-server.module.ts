import { ControllerManager } from '@elasti/operator-kit';
import { HttpErrorFilter, type HttpErrorWords } from '@elasti/operator-kit/program';
import { Module } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { ActivityReport, Rehearsal, tcpConnect } from '../activity';
import { PrivateServices, ReadyPods } from '../endpoints';
import { HoldingGate } from '../gate';
import { InformerModule } from '../informer';
import { type ResolverConfig, resolverConfigToken } from '../resolver.config';
import { TrafficModule, TrafficPorts } from '../traffic';
import { maxBodyBytes } from './body-limit';
import { InternalServer } from './internal-server';
import { InternalController } from './internal.controller';

const words: HttpErrorWords = {
  program: 'resolver',
  routes: 'GET /activity, GET /queue-status, GET /crd-cache-status, POST /rehearse, GET /metrics, GET /healthz, GET /readyz',
  maxBodyBytes,
  smallerBody: 'ask for fewer services at once',
};

/** The internal port and what is answered there beside probes and metrics. Needs OperatorKitModule; `InternalServer.open` opens it. */
@Module({
  imports: [InformerModule, TrafficModule],
  controllers: [InternalController],
  providers: [
    {
      provide: InternalServer,
      inject: [HttpAdapterHost, resolverConfigToken, ControllerManager],
      useFactory: (host: HttpAdapterHost, { listen }: ResolverConfig, { clock, logger }: ControllerManager) =>
        new InternalServer(host, listen, clock, logger),
    },
    {
      provide: ActivityReport,
      inject: [HoldingGate, ControllerManager],
      useFactory: (gate: HoldingGate, { clock }: ControllerManager) => new ActivityReport(gate, clock),
    },
    {
      provide: Rehearsal,
      inject: [TrafficPorts, PrivateServices, ReadyPods, ControllerManager],
      useFactory: (listeners: TrafficPorts, services: PrivateServices, pods: ReadyPods, { clock }: ControllerManager) =>
        new Rehearsal({ listeners, services, pods, connect: tcpConnect, clock }),
    },
    { provide: APP_FILTER, inject: [ControllerManager], useFactory: ({ logger }: ControllerManager) => new HttpErrorFilter(logger, words) },
  ],
  exports: [InternalServer],
})
export class InternalServerModule {}
