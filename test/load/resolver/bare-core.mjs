// The forwarding core without the application around it: a fixed pod, no metrics, no routes.
//   bare-core.mjs <port> <upstream port>
import { silentLogger, systemClock } from '@elasti/operator-kit';
import { DEFAULT_PROXY_SETTINGS, Forwarder, ForwardingListener } from '../../../apps/resolver/dist/proxy/index.js';

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const target = { namespace: 'bench', service: 'web', port: 80 };
const lease = { address: '127.0.0.1', port: upstreamPort, podKey: 'pod', release: () => undefined };
const forwarder = new Forwarder({
  gate: { tryEnter: () => lease, hold: (_target, _held, holder) => holder.entered(lease) },
  policy: { targetOf: () => target, answerInstead: () => undefined, isMovingOn: () => false },
  listener: { began: () => undefined, ended: () => undefined },
  settings: DEFAULT_PROXY_SETTINGS,
  clock: systemClock,
  logger: silentLogger,
});
const listener = await ForwardingListener.open(forwarder, { port, host: '127.0.0.1' }, { target });
process.once('SIGTERM', () => {
  void listener.close();
  forwarder.stop();
});
