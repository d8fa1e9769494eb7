import type { KubeClient } from '@elasti/operator-kit';
import { FakeClock, RecordingLogger } from '@elasti/operator-kit/testing';
import { TokenReviewAuthenticator } from './token-review.authenticator';

const resolver = {
  authenticated: true,
  audiences: ['elasti-operator'],
  user: { username: 'system:serviceaccount:elasti:elasti-resolver' },
};

function setup() {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const script = { answer: (): Promise<unknown> => Promise.resolve({ status: resolver }), reviews: 0 };
  const raw = (() => {
    script.reviews++;
    return script.answer();
  }) as KubeClient['raw'];
  const authenticator = new TokenReviewAuthenticator({ raw }, { namespace: 'elasti', name: 'elasti-resolver' }, clock, logger);
  return { clock, logger, script, authenticator };
}

describe('TokenReviewAuthenticator', () => {
  it.each([
    ['welcome', resolver],
    ['stranger', { ...resolver, user: { username: 'system:serviceaccount:shop:elasti-resolver' } }],
    ['stranger', { ...resolver, user: {} }],
    ['unknown', { ...resolver, authenticated: false }],
    ['unknown', { ...resolver, audiences: ['https://kubernetes.default.svc'] }],
    ['unknown', { ...resolver, audiences: undefined }],
    ['unknown', undefined],
  ])('finds %s by the review %p', async (verdict, status) => {
    const { script, authenticator } = setup();
    script.answer = () => Promise.resolve({ status });

    await expect(authenticator.check('token')).resolves.toBe(verdict);
  });

  it('asks again about a welcome token after a minute', async () => {
    const { clock, script, authenticator } = setup();
    await authenticator.check('token');

    await clock.advance(59_999);
    await authenticator.check('token');
    const before = script.reviews;
    await clock.advance(1);
    await authenticator.check('token');

    expect([before, script.reviews]).toEqual([1, 2]);
  });

  it('asks again about a refused token after ten seconds', async () => {
    const { clock, script, authenticator } = setup();
    script.answer = () => Promise.resolve({ status: { authenticated: false } });
    await authenticator.check('token');
    await authenticator.check('token');

    await clock.advance(10_000);
    script.answer = () => Promise.resolve({ status: resolver });

    await expect(authenticator.check('token')).resolves.toBe('welcome');
    expect(script.reviews).toBe(2);
  });

  it('keeps no failure to ask, and logs it without the token', async () => {
    const { logger, script, authenticator } = setup();
    script.answer = () => Promise.reject(new Error('no answer'));

    await expect(authenticator.check('token-1')).resolves.toBe('undecided');
    script.answer = () => Promise.resolve({ status: resolver });

    await expect(authenticator.check('token-1')).resolves.toBe('welcome');
    expect(logger.messages('warn')).toEqual(['a token could not be reviewed']);
    expect(JSON.stringify(logger.entries)).not.toContain('token-1');
  });

  it('asks about no more than so many tokens at once', async () => {
    const { script, authenticator } = setup();
    const answered = Promise.withResolvers<unknown>();
    script.answer = () => answered.promise;
    const checks = Array.from({ length: 100 }, (_, i) => authenticator.check(`token-${i}`));

    const overflowed = await checks[99];
    answered.resolve({ status: resolver });
    const first = await checks[0];

    expect([overflowed, first, script.reviews]).toEqual(['undecided', 'welcome', 32]);
  });

  it('still knows the resolver after a flood of forged tokens', async () => {
    const { script, authenticator } = setup();
    await authenticator.check('token');
    script.answer = () => Promise.resolve({ status: { authenticated: false } });
    for (let i = 0; i < 2_000; i++) await authenticator.check(`forged-${i}`);
    const before = script.reviews;

    await expect(authenticator.check('token')).resolves.toBe('welcome');
    expect(script.reviews).toBe(before);
  });

  it('asks nothing about no token, or one of absurd length', async () => {
    const { script, authenticator } = setup();

    const verdicts = [await authenticator.check(undefined), await authenticator.check('x'.repeat(20_000))];

    expect([...verdicts, script.reviews]).toEqual(['unknown', 'unknown', 0]);
  });
});
