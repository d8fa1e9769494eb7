import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from '../../eventually';
import { applyYaml, getObject, kubectl } from '../kubectl';

const image = process.env.ECHO_IMAGE ?? 'localhost/echo:e2e';

/** Where a call goes to. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A call for the caller to make; `kind` and options as in test/fixtures/echo/app/clients, and `afterMs` to begin it later. */
export type CallSpec = { readonly kind: string } & Readonly<Record<string, unknown>>;

export interface HttpResult {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly trailers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly continued: 'yes' | 'no';
  /** Instead of everything else, when there was no answer. */
  readonly error?: string;
}

/** Every request that was sent, by what became of it. */
export interface Tally {
  readonly sent: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly pods: Readonly<Record<string, number>>;
  /** Answers with `Server-Timing`. */
  readonly timed: number;
  readonly failures: readonly { readonly error: string }[];
}

interface Look<T> {
  readonly events: readonly unknown[];
  readonly result?: T;
}

/** A call under way. */
export class OpenCall<T> {
  constructor(
    private readonly caller: Caller,
    private readonly id: number,
  ) {}

  /** Waits until so many things have happened in it. */
  async seen(events: number): Promise<readonly unknown[]> {
    const look = await this.caller.fetchJson<Look<T>>(`/calls/${this.id}?events=${events}`);
    if (look.events.length < events) throw new Error(`the call was over before: ${JSON.stringify(look)}`);
    return look.events;
  }

  async result(): Promise<T> {
    return (await this.caller.fetchJson<Required<Look<T>>>(`/calls/${this.id}`)).result;
  }

  /** What has happened in it so far. */
  async events(): Promise<readonly unknown[]> {
    return (await this.caller.fetchJson<Look<T>>(`/calls/${this.id}?events=0`)).events;
  }

  /** Orders that only some kinds of calls understand. */
  async order(order: 'pause' | 'resume'): Promise<void> {
    await this.caller.fetchJson(`/calls/${this.id}/${order}`, { method: 'POST' });
  }

  async stop(): Promise<T> {
    return (await this.caller.fetchJson<Required<Look<T>>>(`/calls/${this.id}/stop`, { method: 'POST' })).result;
  }
}

/** A pod that makes calls and never repeats one. It is spoken to through the API server; calls go on while that is away. */
export class Caller {
  private constructor(
    private readonly base: string,
    private readonly proxy: ChildProcess,
  ) {}

  /** At most how long it waits for the namespace and for its pod. */
  static readonly startingMs = 120_000;

  static async start(namespace: string): Promise<Caller> {
    // In a namespace that has just been made pods are refused until this is there.
    await eventually('the account of the namespace', () => getObject('serviceaccount', 'default', '-n', namespace));
    const readinessProbe = { httpGet: { path: '/ready', port: 9900 }, periodSeconds: 1 };
    const container = { name: 'caller', image, imagePullPolicy: 'IfNotPresent', command: ['node', '/app/caller.mjs'], readinessProbe };
    const spec = { containers: [container], terminationGracePeriodSeconds: 1 };
    await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'caller', namespace }, spec }));
    await kubectl('wait', '--for=condition=Ready', 'pod/caller', '-n', namespace, '--timeout=60s');
    const proxy = spawn('kubectl', ['proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(proxy, 'exit').then(() => Promise.reject(new Error('kubectl proxy ended before it had begun')));
    const [line] = (await Promise.race([once(createInterface(proxy.stdout), 'line'), ended])) as [string];
    const base = `http://${line.split(' ').at(-1) ?? ''}/api/v1/namespaces/${namespace}/pods/caller:9900/proxy`;
    return new Caller(base, proxy);
  }

  async stop(): Promise<void> {
    this.proxy.kill();
    if (this.proxy.exitCode === null && this.proxy.signalCode === null) await once(this.proxy, 'exit');
  }

  async begin<T>(call: CallSpec): Promise<OpenCall<T>> {
    const { id } = await this.fetchJson<{ id: number }>('/calls', { method: 'POST', body: JSON.stringify(call) });
    return new OpenCall<T>(this, id);
  }

  /** Makes a call and waits for its end. */
  async call<T>(call: CallSpec): Promise<T> {
    return (await this.begin<T>(call)).result();
  }

  /** The time by which its calls say when something was. */
  async nowMs(): Promise<number> {
    return (await this.fetchJson<{ nowMs: number }>('/clock')).nowMs;
  }

  request(address: Address, options: Readonly<Record<string, unknown>> = {}): Promise<HttpResult> {
    return this.call({ kind: 'request', ...address, ...options });
  }

  async fetchJson<T>(path: string, init?: RequestInit): Promise<T> {
    const response = await fetch(`${this.base}${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }
}
