import { ControllerManager } from '@elasti/operator-kit';
import type { Provider } from '@nestjs/common';
import { WaitingPage } from '../cold-start';
import { ServiceDirectory } from '../directory';
import { PrivateServices, ReadyPods } from '../endpoints';
import { HoldingGate, TurnClock } from '../gate';
import { H2Relay } from '../h2';
import { TimedWaker, TrafficMeter } from '../metrics';
import { ProbeResponses } from '../probe';
import { DEFAULT_PROXY_SETTINGS, Forwarder, Links } from '../proxy';
import { type ForwardConfig, type ResolverConfig, resolverConfigToken } from '../resolver.config';
import { SharedPort } from '../routes';
import { OperatorWaker } from '../wake';
import { closeAsPodsLeave } from './leaving-pods';
import { TrafficPolicy } from './traffic-policy';

/** Those who hold, decide and forward. */
export const hotPathProviders: Provider[] = [
  {
    provide: HoldingGate,
    inject: [resolverConfigToken, TurnClock, ServiceDirectory, PrivateServices, ReadyPods, OperatorWaker, TrafficMeter],
    useFactory: (
      { gate }: ResolverConfig,
      clock: TurnClock,
      directory: ServiceDirectory,
      services: PrivateServices,
      pods: ReadyPods,
      operator: OperatorWaker,
      meter: TrafficMeter,
    ): HoldingGate => {
      const waker = new TimedWaker(operator, pods, meter, clock);
      const observer = { ended: meter.held.bind(meter), refused: meter.refused.bind(meter) };
      return new HoldingGate(gate, { directory, services, pods, waker, clock, observer });
    },
  },
  {
    provide: TrafficPolicy,
    inject: [resolverConfigToken, ControllerManager, ServiceDirectory, PrivateServices, ReadyPods, HoldingGate, TrafficMeter],
    useFactory: (
      { clusterDomain, headerForHost }: ResolverConfig,
      { logger }: ControllerManager,
      directory: ServiceDirectory,
      services: PrivateServices,
      pods: ReadyPods,
      gate: HoldingGate,
      meter: TrafficMeter,
    ): TrafficPolicy => {
      const sharedPort = new SharedPort(directory, services, clusterDomain);
      return new TrafficPolicy({
        directory,
        pods,
        probes: new ProbeResponses(logger),
        waitingPage: new WaitingPage(gate),
        sharedPort,
        headerForHost,
        meter,
      });
    },
  },
  {
    provide: Forwarder,
    inject: [resolverConfigToken, ControllerManager, TurnClock, HoldingGate, TrafficPolicy, TrafficMeter, ReadyPods],
    useFactory: (
      { forward }: ResolverConfig,
      { logger, clock: realClock }: ControllerManager,
      clock: TurnClock,
      gate: HoldingGate,
      policy: TrafficPolicy,
      listener: TrafficMeter,
      pods: ReadyPods,
    ): Forwarder => {
      const h2 = forward.h2c === 'on' ? new H2Relay() : undefined;
      const forwarder = new Forwarder({
        gate,
        policy,
        listener,
        settings: proxySettings(forward),
        clock,
        logger,
        h2,
        // A turn is measured by a clock that goes on during it.
        links: new Links(realClock),
      });
      closeAsPodsLeave(pods, forwarder);
      return forwarder;
    },
  },
];

function proxySettings({ maxIdleConnections, maxIdlePerPod }: ForwardConfig) {
  return { ...DEFAULT_PROXY_SETTINGS, maxIdleUpstreams: maxIdleConnections, maxIdlePerPod };
}
