import { ControllerManager } from '@elasti/operator-kit';
import { Module } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { HttpErrorFilter } from './http-error.filter';
import { HttpListeners } from './http-listeners';

/** The listeners and how failures are answered. Needs OperatorKitModule; `listen` opens the ports. */
@Module({
  providers: [
    {
      provide: HttpListeners,
      inject: [HttpAdapterHost, ControllerManager],
      useFactory: (host: HttpAdapterHost, { clock, logger }: ControllerManager) => new HttpListeners(host, clock, logger),
    },
    { provide: APP_FILTER, inject: [ControllerManager], useFactory: ({ logger }: ControllerManager) => new HttpErrorFilter(logger) },
  ],
  exports: [HttpListeners],
})
export class HttpModule {}
