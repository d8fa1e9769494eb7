import { spawn, spawnSync } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client, type Dispatcher } from 'undici';
import { WebSocket, WebSocketServer } from 'ws';
import { Ear, type Place, type Pod, type Protocol, type Talk } from './resolver-situations.fixture';

const originOf = ({ host, port }: Place): string => `http://${host}:${port}`;

/** Tells what it heard, in the body or in the path, and goes on with its answer as it is told to. */
async function answer(pod: Pod, request: IncomingMessage, response: ServerResponse, lineOf: (text: string) => string): Promise<void> {
  const heard = (await text(request)) || request.url?.slice(1);
  if (!pod.takes()) return;
  const say = (words: string): void => void response.write(lineOf(`${pod.name}: ${words}`));
  pod.line = { say, finish: () => response.end() };
  say(heard ?? '');
}

const answering =
  (lineOf: (text: string) => string, headers: Record<string, string> = {}): Protocol['program'] =>
  async (pod) => {
    const server = createServer((request, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      answer(pod, request, response, lineOf).catch(() => response.destroy());
    });
    return { serve: (socket) => void server.emit('connection', socket) };
  };

const http1 = answering((line) => `${line}\n`);

async function ask(at: Place, request: Omit<Dispatcher.RequestOptions, 'origin'>): Promise<Talk> {
  const ear = new Ear();
  const client = new Client(originOf(at));
  const listen = async (): Promise<string> => {
    const { statusCode, body } = await client.request(request);
    for await (const chunk of body) ear.feed(String(chunk));
    return statusCode === 200 ? 'in full' : `status ${statusCode}`;
  };
  void listen().then(
    (how) => ear.close(how),
    (error: unknown) => ear.close((error as { code?: string }).code ?? String(error)),
  );
  return { hear: () => ear.hear(), ended: () => ear.ended(), stop: () => void client.destroy() };
}

export const http1ByUndici: Protocol = {
  name: 'HTTP/1.1 by undici',
  program: http1,
  begin: (at) => ask(at, { method: 'PUT', path: '/', body: 'hello' }),
};

export const eventsByUndici: Protocol = {
  name: 'server-sent events by undici',
  program: answering((line) => `data: ${line}\n\n`, { 'content-type': 'text/event-stream' }),
  begin: async (at) => {
    const talk = await ask(at, { method: 'GET', path: '/hello', headers: { accept: 'text/event-stream' } });
    return { ...talk, hear: async () => (await talk.hear()).replace(/^data: /, '') };
  },
};

const curlVersion = spawnSync('curl', ['--version'], { encoding: 'utf8' }).stdout as string | null;

async function runCurl({ host, port }: Place, options: string[]): Promise<Talk> {
  const ear = new Ear();
  const url = `http://${host}:${port}/hello`;
  const child = spawn('curl', ['--silent', '--no-buffer', '--fail', ...options, url], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.on('data', (bytes: Buffer) => ear.feed(bytes.toString()));
  child.on('close', (code) => ear.close(code === 0 ? 'in full' : `curl ${code ?? 'killed'}`));
  return { hear: () => ear.hear(), ended: () => ear.ended(), stop: () => void child.kill() };
}

export const http1ByCurl: Protocol = {
  name: 'HTTP/1.1 by curl',
  missing: curlVersion ? undefined : 'curl is not installed',
  program: http1,
  begin: (at) => runCurl(at, ['--http1.1']),
};

const http2Frame = (type: number, flags: number, stream: number, payload: string | Buffer = ''): Buffer => {
  const bytes = Buffer.from(payload);
  return Buffer.concat([Buffer.from([0, bytes.length >> 8, bytes.length & 255, type, flags, 0, 0, 0, stream]), bytes]);
};
const DATA = 0;
const HEADERS = 1;
const SETTINGS = 4;
const END_STREAM = 1;
const ACK = 1;
const END_HEADERS = 4;
const STATUS_200 = Buffer.from([0x88]);

/** Node's own server does not take an upgrade to HTTP/2, so its few frames are written here: the request is stream 1. */
function upgradeToHttp2(pod: Pod, request: IncomingMessage, socket: Duplex): void {
  if (!pod.takes()) return;
  const say = (words: string): void => void socket.write(http2Frame(DATA, 0, 1, `${pod.name}: ${words}\n`));
  pod.line = { say, finish: () => void socket.write(http2Frame(DATA, END_STREAM, 1)) };
  socket.on('error', () => undefined).on('end', () => socket.end());
  socket.resume();
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade ?? ''}\r\n\r\n`);
  socket.write(Buffer.concat([http2Frame(SETTINGS, 0, 0), http2Frame(SETTINGS, ACK, 0), http2Frame(HEADERS, END_HEADERS, 1, STATUS_200)]));
  say(request.url?.slice(1) ?? '');
}

export const h2cUpgradeByCurl: Protocol = {
  name: 'an upgrade to HTTP/2 by curl',
  missing: curlVersion?.includes('HTTP2') ? undefined : 'curl is not installed, or speaks no HTTP/2',
  program: async (pod) => {
    const server = createServer().on('upgrade', (request, socket) => upgradeToHttp2(pod, request, socket));
    return { serve: (socket) => void server.emit('connection', socket) };
  },
  begin: (at) => runCurl(at, ['--http2']),
};

/** An upgrade that its pod takes is the first byte of the answer; then it says back what it hears. */
export const webSocketByWs: Protocol = {
  name: 'WebSocket by ws',
  program: async (pod) => {
    const webSockets = new WebSocketServer({ noServer: true });
    webSockets.on('connection', (webSocket) => {
      const say = (words: string): void => webSocket.send(`${pod.name}: ${words}`);
      pod.line = { say, finish: () => webSocket.close(1000) };
      webSocket.on('error', () => undefined).on('message', (data: Buffer) => say(data.toString()));
    });
    const server = createServer().on('upgrade', (request, socket, head) => {
      if (pod.takes()) webSockets.handleUpgrade(request, socket, head, (webSocket) => webSockets.emit('connection', webSocket, request));
    });
    return { serve: (socket) => void server.emit('connection', socket) };
  },
  begin: async ({ host, port }) => {
    const ear = new Ear();
    const webSocket = new WebSocket(`ws://${host}:${port}/`);
    webSocket.on('open', () => webSocket.send('hello'));
    webSocket.on('message', (data: Buffer) => ear.feed(`${data.toString()}\n`));
    webSocket.on('error', () => undefined);
    webSocket.on('close', (code) => ear.close(code === 1000 ? 'in full' : `closed with ${code}`));
    return {
      hear: () => ear.hear(),
      ended: () => ear.ended(),
      say: (words) => webSocket.send(words),
      stop: () => webSocket.terminate(),
    };
  },
};
