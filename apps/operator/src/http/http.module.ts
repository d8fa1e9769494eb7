import { ControllerManager } from '@elasti/operator-kit';
import { HttpErrorFilter, type HttpErrorWords } from '@elasti/operator-kit/program';
import { Module } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { maxBodyBytes } from './body-limit';
import { HttpListeners } from './http-listeners';

const words: HttpErrorWords = {
  program: 'operator',
  routes: 'POST /informer/incoming-request, GET /crd-cache, GET /metrics, GET /healthz, GET /readyz',
  maxBodyBytes,
  smallerBody: 'send only count, svc and namespace',
};

/** The listeners and how failures are answered. Needs OperatorKitModule; `listen` opens the ports. */
@Module({
  providers: [
    {
      provide: HttpListeners,
      inject: [HttpAdapterHost, ControllerManager],
      useFactory: (host: HttpAdapterHost, { clock, logger }: ControllerManager) => new HttpListeners(host, clock, logger),
    },
    { provide: APP_FILTER, inject: [ControllerManager], useFactory: ({ logger }: ControllerManager) => new HttpErrorFilter(logger, words) },
  ],
  exports: [HttpListeners],
})
export class HttpModule {}
