import { FakeClock, RecordingLogger } from '@elasti/operator-kit/testing';
import { SecretFile } from './secret-file';
import { SharedSecretAuthenticator } from './shared-secret.authenticator';

function setup(content: string) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const file = { content, version: '1', reads: 0, state: 'there' as 'there' | 'gone' };
  const look = (value: () => string) => (file.state === 'gone' ? Promise.reject(new Error('ENOENT')) : Promise.resolve(value()));
  const disk = {
    version: () => look(() => file.version),
    read: () => look(() => (file.reads++, file.content)),
  };
  const authenticator = new SharedSecretAuthenticator(new SecretFile('/run/wake', clock, disk), clock, logger);
  const check = (...tokens: (string | undefined)[]) => Promise.all(tokens.map((token) => authenticator.check(token)));
  return { clock, logger, file, check };
}

describe('SharedSecretAuthenticator', () => {
  it('welcomes the secret and nothing else', async () => {
    const { check, file } = setup('open sesame\n');

    await expect(check('open sesame', 'open', 'open sesame!', '', undefined)).resolves.toEqual([
      'welcome',
      'unknown',
      'unknown',
      'unknown',
      'unknown',
    ]);
    expect(file.reads).toBe(1);
  });

  it('reads the file again when it has changed, and only then', async () => {
    const { clock, check, file } = setup('first');
    await check('first');
    await clock.advance(1_000);
    await check('first');
    const readsBefore = file.reads;

    Object.assign(file, { content: 'second', version: '2' });
    await clock.advance(1_000);

    await expect(check('first', 'second')).resolves.toEqual(['unknown', 'welcome']);
    expect([readsBefore, file.reads]).toEqual([1, 2]);
  });

  it('welcomes the old and the new secret while both are in the file', async () => {
    const { check } = setup('old\nnew\n');

    await expect(check('old', 'new', 'old\nnew')).resolves.toEqual(['welcome', 'welcome', 'unknown']);
  });

  it.each([
    ['empty', '  \n', 'there'],
    ['gone', 'secret', 'gone'],
  ] as const)('welcomes nobody while the file is %s', async (_, content, state) => {
    const { check, file, logger } = setup(content);
    file.state = state;

    await expect(check('', 'secret')).resolves.toEqual(['undecided', 'undecided']);
    expect(logger.messages('warn')).toEqual(['the shared secret could not be read']);
  });
});
