// Processes of a bench: each pinned to its core, measured from outside, and ended for sure.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

/** The core of what is measured, and the core of everything around it. */
export const cores = { proxy: 0, load: 1 };

const packages = {
  wrk: 'wrk',
  h2load: 'nghttp2-client',
  nghttpd: 'nghttp2-server',
  nginx: 'nginx',
  haproxy: 'haproxy',
  taskset: 'util-linux',
  go: 'golang',
};
const running = new Set();
const ticksPerSecond = 100;

// A bench that fails half-way must leave nothing behind, nor the workers of a server whose master is gone.
process.once('exit', () => {
  for (const { pid } of running) for (const one of [pid, ...descendantsOf(pid)]) kill(one);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Ends the bench with one message about everything that is missing. */
export function needTools(...tools) {
  const missing = tools.filter((tool) => spawnSync('which', [tool]).status !== 0);
  if (missing.length === 0) return;
  const names = [...new Set(missing.map((tool) => packages[tool]))].join(' ');
  process.stderr.write(`${missing.join(', ')} not found; on Debian: apt-get install ${names}\n`);
  process.exit(2);
}

/** Builds the Go programs of test/load/peers into a folder. */
export function buildPeers(folder) {
  const cwd = new URL('../peers', import.meta.url).pathname;
  const { status, stderr } = spawnSync('go', ['build', '-o', `${folder}/`, './...'], {
    cwd,
    env: { ...process.env, GOTOOLCHAIN: 'local' },
  });
  if (status !== 0) throw new Error(`the Go peers could not be built (Go 1.24 or newer is needed):\n${stderr}`);
}

/** Starts a program on a core. Its standard error is kept and shown when it ends by itself. */
export function start(core, command, args, { env = {}, cwd, stdin = 'ignore', ipc = false } = {}) {
  const stdio = [stdin, 'pipe', 'pipe', ...(ipc ? ['ipc'] : [])];
  const child = spawn('taskset', ['-c', String(core), command, ...args], { stdio, cwd, env: { ...process.env, ...env } });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors = `${errors}${chunk}`.slice(-4_000)));
  running.add(child);
  const closed = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return { code, signal, errors };
  });
  return { child, pid: child.pid, closed, errors: () => errors };
}

/** Ends a program in its own way, or after a while in ours. */
export async function stop({ child, pid, closed }, patienceMs = 10_000) {
  child.kill('SIGTERM');
  const late = new AbortController();
  const killing = wait(patienceMs, undefined, { signal: late.signal }).then(
    () => [pid, ...descendantsOf(pid)].forEach((one) => kill(one)),
    () => undefined,
  );
  await closed;
  late.abort();
  await killing;
}

/** Runs a program to its end and gives what it printed. */
export async function run(core, command, args, options) {
  const started = start(core, command, args, options);
  let output = '';
  started.child.stdout.on('data', (chunk) => (output += chunk));
  const { code, errors } = await started.closed;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${errors}${output.slice(-1_000)}`);
  return output;
}

/** A program that is told things line by line and answers with lines of JSON. */
export async function startTalking(core, command, args, options = {}) {
  const started = start(core, command, args, { ...options, stdin: 'pipe' });
  const lines = createInterface({ input: started.child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${command} ended: ${started.errors()}`);
    return JSON.parse(value);
  };
  const tell = (line) => started.child.stdin.write(`${line}\n`);
  const order = (line) => {
    tell(line);
    return next();
  };
  const end = async () => {
    started.child.stdin.end();
    await started.closed;
  };
  return { ...started, next, tell, order, end };
}

export async function untilListening({ port, host = '127.0.0.1' }, process) {
  let ended = false;
  void process?.closed.then(() => (ended = true));
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline && !ended) {
    const socket = connect({ port, host });
    const answer = await Promise.race([once(socket, 'connect'), once(socket, 'error')]).catch((error) => [error]);
    socket.destroy();
    if (!(answer[0] instanceof Error)) return;
    await wait(20);
  }
  throw new Error(`nothing listens on port ${port}: ${process?.errors()}`);
}

/** Processor time of a process and its children so far, in seconds, all threads together. */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before the fields may hold anything, also spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  return childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), own);
}

/** How long the threads of a process and its children have waited for a processor so far, in seconds: time that neighbours took. */
export function queuedSeconds(pid) {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
  const own = threads.reduce((sum, text) => sum + Number(text.split(' ')[1]) / 1e9, 0);
  return childrenOf(pid).reduce((sum, child) => sum + queuedSeconds(child), own);
}

function descendantsOf(pid) {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function kill(pid) {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function childrenOf(pid) {
  if (!existsSync(`/proc/${pid}/task`)) return [];
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
}

export function rssKb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
}

export function openFiles(pid) {
  return readdirSync(`/proc/${pid}/fd`).length;
}
