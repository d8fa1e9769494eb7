import { ControllerManager } from '@elasti/operator-kit';
import { Module } from '@nestjs/common';
import { register } from 'prom-client';
import { HoldingGate } from '../gate';
import { Informers, InformerModule } from '../informer';
import { MetricsModule, TrafficMeter, TrafficMetrics } from '../metrics';
import { Forwarder, ForwardingListener } from '../proxy';
import { type ResolverConfig, resolverConfigToken } from '../resolver.config';
import { type PortOpener, RouteListeners, RouteTable } from '../routes';
import { HttpWakeCall, OperatorWaker } from '../wake';
import { hotPathProviders } from './hot-path.providers';
import { TrafficPorts } from './traffic-ports';
import { wakeProviders } from './wake.providers';

/** The hot path, those who decide for it, and the ports it is reached by. Needs OperatorKitModule and the settings. */
@Module({
  imports: [InformerModule, MetricsModule],
  providers: [
    ...wakeProviders,
    ...hotPathProviders,
    {
      provide: RouteListeners,
      inject: [resolverConfigToken, ControllerManager, RouteTable, Forwarder],
      useFactory: ({ listen: { host } }: ResolverConfig, { clock, logger }: ControllerManager, table: RouteTable, forwarder: Forwarder) => {
        const open: PortOpener = async (port, identityOf) => {
          const listener = await ForwardingListener.open(forwarder, { port, host }, identityOf);
          return { close: () => void listener.close() };
        };
        return new RouteListeners(table, open, { clock, logger });
      },
    },
    {
      provide: TrafficPorts,
      inject: [resolverConfigToken, ControllerManager, Forwarder, RouteListeners, Informers],
      useFactory: (
        { listen: { proxyPort: port, host } }: ResolverConfig,
        { clock, logger }: ControllerManager,
        forwarder: Forwarder,
        routes: RouteListeners,
        informers: Informers,
      ) => new TrafficPorts({ forwarder, routes, informers, clock, logger, shared: { port, host } }),
    },
    {
      provide: TrafficMetrics,
      inject: [TrafficMeter, HoldingGate, Forwarder, RouteListeners],
      useFactory: (meter: TrafficMeter, gate: HoldingGate, forwarder: Forwarder, routes: RouteListeners) =>
        new TrafficMetrics(register, { meter, gate, forwarder, routes }),
    },
  ],
  exports: [HoldingGate, Forwarder, TrafficPorts, OperatorWaker, HttpWakeCall],
})
export class TrafficModule {}
