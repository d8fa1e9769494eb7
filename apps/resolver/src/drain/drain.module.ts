import { ControllerManager } from '@elasti/operator-kit';
import { Module } from '@nestjs/common';
import { HoldingGate } from '../gate';
import { Forwarder } from '../proxy';
import { type ResolverConfig, resolverConfigToken } from '../resolver.config';
import { TrafficModule, TrafficPorts } from '../traffic';
import { HttpWakeCall, OperatorWaker } from '../wake';
import { Drain } from './drain';
import { OwnMentions } from './own-mentions';

/** Drains when the application stops, before its watches end and while its internal port still answers. */
@Module({
  imports: [TrafficModule],
  providers: [
    {
      provide: Drain,
      inject: [resolverConfigToken, ControllerManager, TrafficPorts, Forwarder, HoldingGate, OperatorWaker, HttpWakeCall],
      useFactory: (
        { drain }: ResolverConfig,
        { clock, logger, caches }: ControllerManager,
        ports: TrafficPorts,
        forwarder: Forwarder,
        gate: HoldingGate,
        waker: OperatorWaker,
        call: HttpWakeCall,
      ) => {
        const mentions = drain.podIps.length === 0 ? undefined : new OwnMentions(caches, drain.podIps);
        return new Drain(drain, { ports, forwarder, gate, waker, call, mentions, clock, logger });
      },
    },
  ],
  exports: [Drain],
})
export class DrainModule {}
