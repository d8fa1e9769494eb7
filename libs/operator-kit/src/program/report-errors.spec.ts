import { FakeClock, RecordingLogger } from '../testing';
import { reportErrors } from './report-errors';

const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJyZXNvbHZlciJ9.c2lnbmF0dXJl';

async function setup() {
  const sent: string[] = [];
  const send = (envelope: unknown) => {
    sent.push(JSON.stringify(envelope));
    return Promise.resolve({});
  };
  const lines = new RecordingLogger();
  const clock = new FakeClock();
  const transport = () => ({ send, flush: () => Promise.resolve(true) });
  const { logger, close } = await reportErrors(lines, { dsn: 'https://key@sentry.test/1', environment: 'staging' }, { clock, transport });
  return { logger, close, sent, lines, clock };
}

describe('reportErrors', () => {
  it('changes nothing without settings', async () => {
    const lines = new RecordingLogger();

    const { logger } = await reportErrors(lines, undefined);

    expect(logger).toBe(lines);
  });

  it('looks at nothing by itself but what nobody caught: its eyes on HTTP take most of the throughput of a proxy', async () => {
    const { close } = await setup();
    const { getClient } = await import('@sentry/nestjs');

    const names = getClient()
      ?.getOptions()
      .integrations.map(({ name }) => name);
    await close();

    expect(names).toEqual(['OnUncaughtException', 'OnUnhandledRejection', 'LinkedErrors', 'Dedupe']);
  });

  it('tells of errors only, with where they come from', async () => {
    const { logger, close, sent, lines } = await setup();

    logger.info('started');
    logger.warn('slow');
    logger.with({ controller: 'elastiservice' }).error('reconcile failed', { error: new TypeError('no spec') });
    await close();

    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatch(/"environment":"staging"/);
    expect(sent[0]).toMatch(/"controller":"elastiservice","logged":"reconcile failed"/);
    expect(sent[0]).toMatch(/"type":"TypeError","value":"no spec"/);
    expect(lines.entries.map(({ level }) => level)).toEqual(['info', 'warn', 'error']);
  });

  it('never lets a token, a header, a body or a query leave', async () => {
    const { logger, close, sent } = await setup();
    const cause = new Error(`GET https://user:hush@prometheus.test/api?query=hush failed, authorization: hush, token=hush ${token}`);

    logger.error('asked in vain', {
      error: new Error(`refused Bearer ${token}`, { cause }),
      token,
      headers: { authorization: 'hush' },
      body: 'hush',
      url: 'https://prometheus.test/?hush',
      reason: `Bearer ${token}`,
    });
    await close();

    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('refused Bearer [redacted]');
    expect(sent.join()).not.toMatch(/hush|eyJ|resolver|c2lnbmF0dXJl/);
  });

  it('tells of sixty errors a minute at most', async () => {
    const { logger, close, sent, clock } = await setup();

    for (let i = 0; i < 100; i++) logger.error('it failed', { error: new Error(`failure ${i}`) });
    await clock.advance(60_000);
    logger.error('it failed', { error: new Error('failure of the next minute') });
    await close();

    expect(sent).toHaveLength(61);
  });
});
