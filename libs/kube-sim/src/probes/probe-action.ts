import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { type JsonObject, asArray, asObject, asString } from '../store';

/** What probes and hooks need to know of the container they look at. */
export interface ProbedContainer {
  readonly address: string;
  /** Where a port that is named or numbered in the pod really is. */
  portOf(port: unknown): number;
  /** Runs a command beside the container; the answer is its exit code. The signal ends it. */
  run(command: readonly string[], signal: AbortSignal): Promise<number>;
}

/** Does what a probe or a hook says. Rejected when that fails or the signal ends it. */
export async function act(action: JsonObject, container: ProbedContainer, signal: AbortSignal): Promise<void> {
  if (action.httpGet !== undefined) await httpGet(asObject(action.httpGet), container, signal);
  else if (action.tcpSocket !== undefined) await tcpConnect(asObject(action.tcpSocket), container, signal);
  else if (action.exec !== undefined) {
    const exitCode = await container.run(asArray(asObject(action.exec).command).map(asString), signal);
    if (exitCode !== 0) throw new Error(`the command exited with ${exitCode}`);
  }
}

function httpGet(action: JsonObject, container: ProbedContainer, signal: AbortSignal): Promise<void> {
  const request = asString(action.scheme) === 'HTTPS' ? httpsRequest : httpRequest;
  const headers = Object.fromEntries(
    asArray(action.httpHeaders)
      .map(asObject)
      .map(({ name, value }) => [asString(name), asString(value)]),
  );
  return new Promise((resolve, reject) => {
    const sent = request({
      host: asString(action.host) || container.address,
      port: container.portOf(action.port),
      path: asString(action.path) || '/',
      headers: { 'user-agent': 'kube-probe/1.36', accept: '*/*', ...headers },
      // As the kubelet: a probe asks whether somebody answers, not who it is.
      rejectUnauthorized: false,
      agent: false,
      signal,
    });
    sent.once('error', reject);
    sent.once('response', ({ statusCode = 0 }) => {
      sent.destroy();
      if (statusCode >= 200 && statusCode < 400) resolve();
      else reject(new Error(`the answer was ${statusCode}`));
    });
    sent.end();
  });
}

function tcpConnect(action: JsonObject, container: ProbedContainer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: asString(action.host) || container.address, port: container.portOf(action.port), signal });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}
