import { ControllerManager } from '@elasti/operator-kit';
import { Module } from '@nestjs/common';
import { ServiceDirectory } from '../directory';
import { PrivateServices, ReadyPods } from '../endpoints';
import { HoldingGate, TurnClock } from '../gate';
import { Informers, InformerModule } from '../informer';
import { MetricsModule, TrafficMeter } from '../metrics';
import { ProbeResponses } from '../probe';
import { DEFAULT_PROXY_SETTINGS, Forwarder, ForwardingListener } from '../proxy';
import { type ResolverConfig, resolverConfigToken } from '../resolver.config';
import { type PortOpener, RouteListeners, RouteTable, SharedPort } from '../routes';
import { HttpWakeCall, OperatorWaker, TokenFile } from '../wake';
import { TrafficPolicy } from './traffic-policy';
import { TrafficPorts } from './traffic-ports';

/** As many as wake calls are under way at the same time. */
const wakeConnections = 64;

/** The hot path and those who decide for it. Needs OperatorKitModule and the settings. */
@Module({
  imports: [InformerModule, MetricsModule],
  providers: [
    {
      provide: HttpWakeCall,
      inject: [resolverConfigToken, ControllerManager],
      useFactory: ({ wake }: ResolverConfig, { clock }: ControllerManager) =>
        new HttpWakeCall(wake.origin, wake.tokenFile === undefined ? undefined : new TokenFile(wake.tokenFile, clock), {
          connections: wakeConnections,
        }),
    },
    {
      provide: OperatorWaker,
      inject: [resolverConfigToken, ControllerManager, HttpWakeCall, TrafficMeter],
      useFactory: ({ wake }: ResolverConfig, { clock, logger }: ControllerManager, call: HttpWakeCall, meter: TrafficMeter) =>
        new OperatorWaker(
          { retryMs: wake.retryMs, maxConcurrentCalls: wakeConnections },
          { call, clock, logger, observe: (outcome) => meter.asked(outcome) },
        ),
    },
    {
      provide: HoldingGate,
      inject: [resolverConfigToken, ControllerManager, ServiceDirectory, PrivateServices, ReadyPods, OperatorWaker, TrafficMeter],
      useFactory: (
        { gate }: ResolverConfig,
        { clock }: ControllerManager,
        directory: ServiceDirectory,
        services: PrivateServices,
        pods: ReadyPods,
        waker: OperatorWaker,
        meter: TrafficMeter,
      ) => {
        const observer = { ended: meter.held.bind(meter) };
        return new HoldingGate(gate, { directory, services, pods, waker, clock: new TurnClock(clock), observer });
      },
    },
    {
      provide: TrafficPolicy,
      inject: [resolverConfigToken, ControllerManager, ServiceDirectory, PrivateServices, ReadyPods, TrafficMeter],
      useFactory: (
        { clusterDomain, headerForHost }: ResolverConfig,
        { logger }: ControllerManager,
        directory: ServiceDirectory,
        services: PrivateServices,
        pods: ReadyPods,
        meter: TrafficMeter,
      ) =>
        new TrafficPolicy({
          directory,
          pods,
          probes: new ProbeResponses(logger),
          sharedPort: new SharedPort(directory, services, clusterDomain),
          headerForHost,
          onIdentified: (source, target) => meter.identified(source, target),
        }),
    },
    {
      provide: Forwarder,
      inject: [resolverConfigToken, ControllerManager, HoldingGate, TrafficPolicy, TrafficMeter],
      useFactory: (
        { forward }: ResolverConfig,
        { clock, logger }: ControllerManager,
        gate: HoldingGate,
        policy: TrafficPolicy,
        listener: TrafficMeter,
      ) =>
        new Forwarder({
          gate,
          policy,
          listener,
          settings: { ...DEFAULT_PROXY_SETTINGS, maxIdleUpstreams: forward.maxIdleConnections, maxIdlePerPod: forward.maxIdlePerPod },
          clock,
          logger,
        }),
    },
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
  ],
  exports: [HoldingGate, Forwarder, RouteListeners, TrafficPorts, OperatorWaker, HttpWakeCall],
})
export class TrafficModule {}
