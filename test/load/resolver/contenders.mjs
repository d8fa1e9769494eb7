// Who is measured, and what stands behind all of them. Every proxy has the first core to itself while it is its turn; all the rest share the second.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolverNodeFlags } from '../../../infra/dist/charts/node-flags.js';
import { haproxy, nginxProxy, nginxUpstream } from '../peers/configs.mjs';
import { cores, start, stop, untilListening } from './processes.mjs';

export const largeFileBytes = 8 * 1024 * 1024;
export const upstreamPorts = { http: 18_301, h2c: 18_302, tcp: 18_303, ws: 18_304, upload: 18_305 };
const ports = { nginx: 18_311, goHttp: 18_312, goH2c: 18_313, haproxyTcp: 18_314, haproxyWs: 18_315, bare: 18_316 };

/** The route ports lie where no other suite of ours listens. */
export const routePorts = { http: 27_310, h2c: 27_311, tcp: 27_312, ws: 27_313, upload: 27_314 };
export const servicePorts = ['http', 'h2c', 'tcp', 'ws', 'upload'].map((name, index) => ({
  name,
  port: 80 + index,
  resolverPort: routePorts[name],
  podPort: upstreamPorts[name],
}));

export async function startUpstreams(folder) {
  mkdirSync(join(folder, 'files'), { recursive: true });
  writeFileSync(join(folder, 'files/large'), Buffer.alloc(largeFileBytes, 'x'));
  writeFileSync(join(folder, 'files/unary'), Buffer.alloc(128, 'x'));
  const nghttpd = ['--no-tls', '-a', '127.0.0.1', '--max-concurrent-streams=1000', '--trailer', 'grpc-status: 0'];
  const started = [
    await startNginx(cores.load, 'upstream', folder, nginxUpstream({ port: upstreamPorts.http, folder }), upstreamPorts.http),
    await startAt(upstreamPorts.h2c, cores.load, 'nghttpd', [...nghttpd, '-d', join(folder, 'files'), String(upstreamPorts.h2c)]),
    await startAt(upstreamPorts.ws, cores.load, join(folder, 'echo'), [
      ...['-tcp', `127.0.0.1:${upstreamPorts.tcp}`],
      ...['-ws', `127.0.0.1:${upstreamPorts.ws}`],
      ...['-upload', `127.0.0.1:${upstreamPorts.upload}`],
    ]),
  ];
  return { stop: () => stopAll(started) };
}

/** By name: where to send a protocol, and whose processor time counts. */
export async function startPeers(folder) {
  const nginx = await startNginx(
    cores.proxy,
    'proxy',
    folder,
    nginxProxy({ port: ports.nginx, upstreamPort: upstreamPorts.http, uploadPort: upstreamPorts.upload, folder }),
    ports.nginx,
  );
  const goHttp = await startGo(folder, ports.goHttp, upstreamPorts.http, 'http1');
  const goH2c = await startGo(folder, ports.goH2c, upstreamPorts.h2c, 'h2c');
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(
    config,
    haproxy({
      tcp: { port: ports.haproxyTcp, upstreamPort: upstreamPorts.tcp },
      ws: { port: ports.haproxyWs, upstreamPort: upstreamPorts.ws },
    }),
  );
  const balancer = await startAt(ports.haproxyTcp, cores.proxy, 'haproxy', ['-db', '-q', '-f', config]);
  const bare = await startAt(ports.bare, cores.proxy, process.execPath, [
    ...resolverNodeFlags,
    join(import.meta.dirname, 'bare-core.mjs'),
    String(ports.bare),
    String(upstreamPorts.http),
  ]);
  return {
    nginx: { pid: nginx.pid, ports: { http: ports.nginx, upload: ports.nginx } },
    go: { pid: goHttp.pid, ports: { http: ports.goHttp } },
    'go h2c': { pid: goH2c.pid, ports: { h2c: ports.goH2c } },
    haproxy: { pid: balancer.pid, ports: { tcp: ports.haproxyTcp, ws: ports.haproxyWs } },
    'bare core': { pid: bare.pid, ports: { http: ports.bare } },
    stop: () => stopAll([nginx, goHttp, goH2c, balancer, bare]),
  };
}

function startGo(folder, port, upstreamPort, protocol) {
  const args = ['-listen', `127.0.0.1:${port}`, '-upstream', `127.0.0.1:${upstreamPort}`, '-protocol', protocol];
  // Fewer collections than by default: what one gives a proxy that has memory to spare.
  return startAt(port, cores.proxy, join(folder, 'go-proxy'), args, { env: { GOMAXPROCS: '1', GOGC: '400' } });
}

async function startNginx(core, name, folder, text, port) {
  const config = join(folder, `nginx-${name}.conf`);
  writeFileSync(config, text);
  return startAt(port, core, 'nginx', ['-e', join(folder, `nginx-${name}.log`), '-p', folder, '-c', config]);
}

async function startAt(port, core, command, args, options) {
  const started = start(core, command, args, options);
  // Nobody reads what it prints, and it must not wait for that.
  started.child.stdout.resume();
  await untilListening({ port }, started);
  return started;
}

async function stopAll(started) {
  await Promise.all(started.map((one) => stop(one)));
}
