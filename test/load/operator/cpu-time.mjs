// Whose time it is: wall time alone does not tell a slow operator from a slow server when all of them share a few cores.
import { readFileSync } from 'node:fs';

/** The kernel's clock ticks in /proc, the same on every Linux that Node runs on. */
const tickMs = 10;

/** Milliseconds that all threads of a process have worked. */
function cpuMsOf(pid) {
  const [userTicks, systemTicks] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ').slice(11, 13);
  return (Number(userTicks) + Number(systemTicks)) * tickMs;
}

/** What each of these processes, by name, has worked while `work` ran. */
export async function cpuDuring(pids, work) {
  const before = Object.entries(pids).map(([name, pid]) => [name, pid, cpuMsOf(pid)]);
  await work();
  return Object.fromEntries(before.map(([name, pid, beganMs]) => [name, cpuMsOf(pid) - beganMs]));
}

/** One line for people: milliseconds each. */
export function formatCpu(what, cpu, count) {
  const shares = Object.entries(cpu).map(([name, ms]) => `${name} ${(ms / count).toFixed(2)} ms`);
  return `- ${what}: ${shares.join(', ')}`;
}
