// Loaded into a measured process before its program: answers questions about the event loop, the heap and what keeps the process busy.
// Names of the cluster lead to this machine here.
import dns from 'node:dns';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { queryObjects } from 'node:v8';

const lookup = dns.lookup;
dns.lookup = (name, ...rest) => lookup(name.endsWith('.svc.cluster.local') ? '127.0.0.1' : name, ...rest);

/** Counted as objects: those that keep nobody from ending are in no list of Node's, and the resolver has no others. */
const { constructor: Timeout } = setTimeout(() => undefined).unref();

// Only from 'reset' to 'stall': a look every millisecond takes its share of what is measured otherwise.
const delay = monitorEventLoopDelay({ resolution: 1 });
// The same in processor time: what is left of a stall when the neighbours' part is taken away.
let [spentUs, longestUs, looking] = [0, 0, undefined];
const spentSoFarUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const look = () => {
  const nowUs = spentSoFarUs();
  longestUs = Math.max(longestUs, nowUs - spentUs);
  spentUs = nowUs;
};

process.on('message', (question) => {
  switch (question) {
    case 'reset':
      [spentUs, longestUs] = [spentSoFarUs(), 0];
      looking ??= setInterval(look, 1).unref();
      delay.enable();
      delay.reset();
      return process.send('reset');
    case 'stall':
      delay.disable();
      clearInterval(looking);
      looking = undefined;
      return process.send({ stallMs: delay.max / 1e6, stallCpuMs: longestUs / 1e3 });
    case 'heap':
      globalThis.gc();
      return process.send({ heapBytes: process.memoryUsage().heapUsed, timers: queryObjects(Timeout) });
    default:
      throw new Error(`unknown question ${question}`);
  }
});
// The program ends when it wants to, whoever still listens.
process.channel.unref();
