import type { ServicePort } from '../exchange';
import { FAULTS } from '../http1';
import type { PlainAnswer } from '../http1';

/** The answers to exchanges that come to no good end, each with the service and what went wrong. */
export const FAILURES = {
  nobody: (): PlainAnswer => ({ status: 404, text: 'no service of that name is known here', persistence: 'close' }),
  badChunk: (): PlainAnswer => ({ status: 400, text: FAULTS.chunk.detail }),
  bodyStalled: (target: ServicePort) => answer(408, target, 'the request body did not arrive in time'),
  bodyUntaken: (target: ServicePort) => answer(504, target, 'the pod did not take the request body in time'),
  badAnswer: (target: ServicePort) => answer(502, target, "the pod's answer is not valid HTTP"),
  podLost: (target: ServicePort) => answer(502, target, 'the pod closed the connection before it answered'),
  cameBack: (target: ServicePort) => answer(508, target, 'the request came back to the resolver'),
} as const;

function answer(status: number, { namespace, service, port }: ServicePort, what: string): PlainAnswer {
  return { status, text: `${namespace}/${service}:${port}: ${what}` };
}
