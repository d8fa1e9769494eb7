import { FakeClock, RecordingLogger } from '../testing';
import { type CredentialOptions, credentialsFor } from './credentials';
import { InvalidRequestError } from './request.errors';

function setup(options: CredentialOptions, initial: Record<string, string> = {}) {
  const contents = new Map(Object.entries(initial));
  const looks: string[] = [];
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const content = (path: string) => {
    const text = contents.get(path);
    if (text === undefined) throw new Error(`no file ${path}`);
    return text;
  };
  const files = {
    version: (path: string) => {
      looks.push(path);
      return content(path);
    },
    read: (path: string) => Buffer.from(content(path)),
  };
  return { source: credentialsFor(options, { clock, logger, files }), contents, looks, clock, logger };
}

describe('credentials from files', () => {
  it('looks at the files once a second at most, and sets no timer', async () => {
    const { source, looks, clock } = setup({ tokenFile: 'token' }, { token: 'a' });

    for (let i = 0; i < 5; i++) await source.current();
    await clock.advance(999);
    await source.current();
    const before = looks.length;
    await clock.advance(1);
    await source.current();

    expect([before, looks.length, clock.pendingTimers]).toEqual([1, 2, 0]);
  });

  it('is the same object for as long as nothing changed', async () => {
    const { source, clock } = setup({ tokenFile: 'token' }, { token: 'a' });
    const first = await source.current();

    await clock.advance(5000);

    expect(await source.current()).toBe(first);
  });

  it('keeps the TLS identity, and so the connections, when only the token changed', async () => {
    const { source, contents, clock } = setup({ tokenFile: 'token', caFile: 'ca' }, { token: 'a', ca: 'CA' });
    const first = await source.current();

    contents.set('token', 'b');
    await clock.advance(1000);
    const second = await source.current();

    expect(second.headers).toEqual(['authorization', 'Bearer b']);
    expect(second.tls).toBe(first.tls);
  });

  it('keeps the last credential while a file cannot be read, and says so', async () => {
    const { source, contents, clock, logger } = setup({ tokenFile: 'token' }, { token: 'a' });
    await source.current();

    contents.delete('token');
    await clock.advance(1000);

    expect((await source.current()).headers).toEqual(['authorization', 'Bearer a']);
    expect(logger.messages('warn')).toEqual(['credential file cannot be read, keeping the last one']);
  });

  it('uses a new token also when another file could not be read at that moment', async () => {
    const { source, contents, clock } = setup({ tokenFile: 'token', caFile: 'ca' }, { token: 'a', ca: 'CA' });
    await source.current();
    contents.set('token', 'b');
    contents.delete('ca');
    await clock.advance(1000);
    await source.current();

    contents.set('ca', 'CA');
    await clock.advance(1000);

    expect((await source.current()).headers).toEqual(['authorization', 'Bearer b']);
  });

  it('looks at once when asked for a fresh one', async () => {
    const { source, contents } = setup({ tokenFile: 'token' }, { token: 'a' });
    await source.current();

    contents.set('token', 'b');

    expect((await source.refresh()).headers).toEqual(['authorization', 'Bearer b']);
  });
});

describe('credentials from values', () => {
  it('takes a user name and a password, and a user to act as', async () => {
    const { source } = setup({ username: 'jo', password: 'pw', impersonateUser: 'anne' });

    expect((await source.current()).headers).toEqual(['authorization', 'Basic am86cHc=', 'impersonate-user', 'anne']);
  });

  it.each([
    ['key', { certFile: 'tls.crt' }],
    ['cert', { key: 'KEY' }],
  ])('refuses half a pair, naming the missing %s', (field, options) => {
    expect(() => setup(options)).toThrow(InvalidRequestError);
    expect(() => setup(options)).toThrow(new RegExp(`^${field}: `));
  });
});
