import { ControllerManager } from '@elasti/operator-kit';
import type { Provider } from '@nestjs/common';
import { TrafficMeter } from '../metrics';
import { type ResolverConfig, resolverConfigToken } from '../resolver.config';
import { HttpWakeCall, OperatorWaker, TokenFile } from '../wake';

/** Wake calls under way at the same time, each on a connection of its own. */
const maxConcurrentCalls = 64;

/** Those who ask the operator to wake services. */
export const wakeProviders: Provider[] = [
  {
    provide: HttpWakeCall,
    inject: [resolverConfigToken, ControllerManager],
    useFactory: ({ wake: { origin, tokenFile } }: ResolverConfig, { clock }: ControllerManager): HttpWakeCall => {
      const token = tokenFile === undefined ? undefined : new TokenFile(tokenFile, clock);
      return new HttpWakeCall(origin, token, { connections: maxConcurrentCalls });
    },
  },
  {
    provide: OperatorWaker,
    inject: [resolverConfigToken, ControllerManager, HttpWakeCall, TrafficMeter],
    useFactory: (
      { wake }: ResolverConfig,
      { clock, logger }: ControllerManager,
      call: HttpWakeCall,
      meter: TrafficMeter,
    ): OperatorWaker => {
      const observe = meter.asked.bind(meter);
      return new OperatorWaker({ retryMs: wake.retryMs, maxConcurrentCalls }, { call, clock, logger, observe });
    },
  },
];
