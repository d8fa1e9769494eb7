import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { FakeClock, settle } from '../testing';
import { PluginCredentials } from './plugin-credentials';

/** Stands for the part of a KubeConfig that runs a plugin. */
function setup() {
  const clock = new FakeClock();
  const given: { token: string; cert?: string; failure?: Error } = { token: 'a' };
  const counts = { loads: 0, asks: 0 };
  const load = () => {
    counts.loads++;
    const applyToHTTPSOptions = async (options: RequestOptions) => {
      counts.asks++;
      await settle();
      if (given.failure) throw given.failure;
      options.headers = { Authorization: `Bearer ${given.token}` };
      options.cert = given.cert;
    };
    return Promise.resolve({ applyToHTTPSOptions } as unknown as KubeConfig);
  };
  return { credentials: new PluginCredentials(load, clock), clock, given, counts };
}

describe('PluginCredentials', () => {
  it('asks once for all who want it at the same time, and again after a second', async () => {
    const { credentials, clock, counts, given } = setup();

    await Promise.all([credentials.current(), credentials.current()]);
    await credentials.current();
    const before = counts.asks;
    given.token = 'b';
    await clock.advance(1000);

    expect((await credentials.current()).headers).toEqual(['authorization', 'Bearer b']);
    expect([before, counts.asks, counts.loads]).toEqual([1, 2, 1]);
  });

  it('starts without any memory when the server refuses what it had', async () => {
    const { credentials, counts } = setup();
    await credentials.current();

    await credentials.refresh();

    expect(counts.loads).toBe(2);
  });

  it('keeps the TLS identity until the plugin gives another certificate', async () => {
    const { credentials, clock, given } = setup();
    given.cert = 'one';
    const first = await credentials.current();
    await clock.advance(1000);
    const same = await credentials.current();
    given.cert = 'two';
    await clock.advance(1000);
    const other = await credentials.current();

    expect(same.tls).toBe(first.tls);
    expect(other.tls).toMatchObject({ cert: 'two' });
  });

  it('keeps the TLS identity over a refresh that gives the same certificate', async () => {
    const { credentials, given } = setup();
    given.cert = 'one';
    const first = await credentials.current();

    const refreshed = await credentials.refresh();

    expect(refreshed.tls).toBe(first.tls);
  });

  it('starts over once for all who are refused at the same time', async () => {
    const { credentials, counts } = setup();
    await credentials.current();

    const [one, other, next] = await Promise.all([credentials.refresh(), credentials.refresh(), credentials.current()]);

    expect([other, next]).toEqual([one, one]);
    expect(counts).toEqual({ loads: 2, asks: 2 });
  });

  it('does not take the answer to a question from before the refusal', async () => {
    const answers: ((token: string) => void)[] = [];
    const applyToHTTPSOptions = async (options: RequestOptions) => {
      const token = await new Promise<string>((resolve) => answers.push(resolve));
      options.headers = { Authorization: `Bearer ${token}` };
    };
    const credentials = new PluginCredentials(() => Promise.resolve({ applyToHTTPSOptions } as unknown as KubeConfig), new FakeClock());
    const before = credentials.current();
    await settle();

    const refreshed = credentials.refresh();
    await settle();
    answers[1]?.('fresh');
    await settle();
    answers[0]?.('refused');
    await before;

    expect((await refreshed).headers).toEqual(['authorization', 'Bearer fresh']);
    expect(await credentials.current()).toBe(await refreshed);
  });

  it('does not give out what was refused when the plugin fails meanwhile', async () => {
    const { credentials, given, counts } = setup();
    await credentials.current();
    given.failure = new Error('no network');
    await expect(credentials.refresh()).rejects.toThrow('no network');
    given.failure = undefined;

    await credentials.current();

    expect(counts.asks).toBe(3);
  });
});
