// The load programs, and what each of them says about a run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cores, cpuSeconds, queuedSeconds, run } from './processes.mjs';

const uploadBytes = 1024 * 1024;
/** More than anybody would remember. */
const differentPaths = 10_000;
/** What a browser says when a page asks for something of its own site. */
const browserFields = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  Accept: 'application/json, text/plain, */*',
  'Accept-Language': 'en-US,en;q=0.5',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  Referer: 'http://shop.example.com/catalogue',
  Cookie: 'session=3f2a9c1e7b5d4860a1c2e3f405162738; theme=dark',
  Connection: 'keep-alive',
  'Sec-Fetch-Dest': 'empty',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Site': 'same-origin',
};

/** Every load gives `{ requests, failures, seconds }`; those with large bodies also `bytes`. */
export function loads(folder, seconds) {
  const upload = join(folder, 'upload.lua');
  writeFileSync(upload, `wrk.method = "POST"\nwrk.body = string.rep("x", ${uploadBytes})\n`);
  const fields = Object.entries(browserFields)
    .map(([name, value]) => `wrk.headers["${name}"] = "${value}"\n`)
    .join('');
  const browser = join(folder, 'browser.lua');
  writeFileSync(browser, fields);
  const browsing = join(folder, 'browsing.lua');
  const anotherPath = `local n = 0\nrequest = function() n = n + 1; return wrk.format("GET", "/1k?n=" .. n % ${differentPaths}) end\n`;
  writeFileSync(browsing, `${fields}${anotherPath}`);
  const own = async (...args) => JSON.parse(await run(cores.load, join(folder, 'load'), args, { env: { GOMAXPROCS: '1' } }));
  const at = (port) => ['-address', `127.0.0.1:${port}`, '-duration', `${seconds}s`];
  return {
    keepAlive: (port) => wrk(seconds, 64, `http://127.0.0.1:${port}/1k`),
    crowded: (port) => wrk(seconds, 256, `http://127.0.0.1:${port}/1k`),
    browser: (port) => wrk(seconds, 64, `http://127.0.0.1:${port}/1k`, '-s', browser),
    browsing: (port) => wrk(seconds, 64, `http://127.0.0.1:${port}/1k`, '-s', browsing),
    download: async (port, bytes) => withBytes(await wrk(seconds, 8, `http://127.0.0.1:${port}/large`), bytes),
    upload: async (port) => withBytes(await wrk(seconds, 8, `http://127.0.0.1:${port}/upload`, '-s', upload), uploadBytes),
    unary: (port, shape) => unary(seconds, port, folder, shape),
    echo: (kind, port) => own('-kind', kind, ...at(port)),
    /** At the times of a Poisson process, whatever comes back; each counts from when it was due. */
    openLoop: (port, rate) => own('-kind', 'open', ...at(port), '-path', '/1k', '-rate', String(rate)),
  };
}

/**
 * Requests or bytes per second of the proxy's own processor time; beside it the plain rate, and how much of the time the proxy
 * ran or wanted to.
 */
export async function perCpuSecond(pid, load) {
  const [before, queuedBefore] = [cpuSeconds(pid), queuedSeconds(pid)];
  const { requests, failures, bytes = 0, seconds } = await load();
  const [used, queued] = [cpuSeconds(pid) - before, queuedSeconds(pid) - queuedBefore];
  if (failures > 0 || requests === 0) throw new Error(`${failures} requests of a bench failed, ${requests} did not`);
  return { requests: requests / used, bytes: bytes / used, rate: requests / seconds, busy: (used + queued) / seconds };
}

function withBytes(result, each) {
  return { ...result, bytes: result.requests * each };
}

async function wrk(seconds, connections, url, ...args) {
  const output = await run(cores.load, 'wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, ...args, url]);
  const socketErrors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output)?.slice(1).map(Number) ?? [];
  const wrong = Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0);
  return {
    requests: Number(/(\d+) requests in/.exec(output)[1]),
    failures: socketErrors.reduce((sum, count) => sum + count, wrong),
    seconds,
  };
}

/** As gRPC clients send them: a POST with a small body, answered with trailers. No two heads in a row are alike, as they are not in life. */
async function unary(seconds, port, folder, { connections, streams } = { connections: 8, streams: 32 }) {
  const [message, urls] = [join(folder, 'message'), join(folder, `urls-${port}`)];
  writeFileSync(message, Buffer.alloc(64, 'x'));
  writeFileSync(urls, Array.from({ length: differentPaths }, (_, number) => `http://127.0.0.1:${port}/unary?n=${number}\n`).join(''));
  const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
  const output = await run(cores.load, 'h2load', [
    '-t1',
    `-c${connections}`,
    `-m${streams}`,
    `-D${seconds}`,
    '-d',
    message,
    ...headers,
    '-i',
    urls,
  ]);
  const [, good, failed, errored] = /(\d+) succeeded, (\d+) failed, (\d+) errored/.exec(output).map(Number);
  return { requests: good, failures: failed + errored, seconds };
}
