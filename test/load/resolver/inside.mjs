// Loaded into a measured process before its program: answers questions about the event loop, the heap and what keeps the process busy.
// Names of the cluster lead to this machine here.
import dns from 'node:dns';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const lookup = dns.lookup;
dns.lookup = (name, ...rest) => lookup(name.endsWith('.svc.cluster.local') ? '127.0.0.1' : name, ...rest);

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
// The same in processor time: what is left of a stall when the neighbours' part is taken away.
let [spentUs, longestUs] = [0, 0];
setInterval(() => {
  const { user, system } = process.cpuUsage();
  longestUs = Math.max(longestUs, user + system - spentUs);
  spentUs = user + system;
}, 1).unref();

process.on('message', (question) => {
  switch (question) {
    case 'reset':
      delay.reset();
      longestUs = 0;
      return process.send('reset');
    case 'stall':
      return process.send({ stallMs: delay.max / 1e6, stallCpuMs: longestUs / 1e3 });
    case 'heap':
      globalThis.gc();
      return process.send({ heapBytes: process.memoryUsage().heapUsed, resources: countsOf(process.getActiveResourcesInfo()) });
    default:
      throw new Error(`unknown question ${question}`);
  }
});
// The program ends when it wants to, whoever still listens.
process.channel.unref();

function countsOf(names) {
  const counts = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
