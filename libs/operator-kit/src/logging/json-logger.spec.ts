import { JsonLogger, type JsonLoggerOptions } from './json-logger';

function setup(options: JsonLoggerOptions = {}) {
  const lines: string[] = [];
  const logger = new JsonLogger({ now: () => Date.UTC(2030, 0, 1), sink: (line) => lines.push(line), ...options });
  const written = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, lines, written };
}

describe('JsonLogger', () => {
  it('writes one line a message: time, level, message, fields', () => {
    const { logger, lines } = setup();

    logger.info('scaled', { replicas: 3 });

    expect(lines).toEqual(['{"time":"2030-01-01T00:00:00.000Z","level":"info","message":"scaled","replicas":3}']);
  });

  it('drops what is below its level', () => {
    const { logger, written } = setup({ level: 'warn' });

    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');

    expect(written().map(({ message }) => message)).toEqual(['c', 'd']);
  });

  it('adds the fields of its parents', () => {
    const { logger, written } = setup();

    logger.with({ controller: 'webapp' }).with({ name: 'shop/web' }).info('reconciled', { result: 'done' });

    expect(written()).toMatchObject([{ controller: 'webapp', name: 'shop/web', result: 'done' }]);
  });

  it.each(['token', 'accessToken', 'Authorization', 'set-cookie', 'password', 'client_secret', 'client-key-data'])(
    'never writes the value of %s, at any depth',
    (key) => {
      const { logger, lines } = setup();

      logger.info('asked', { [key]: 'hush', request: { headers: [{ [key]: 'hush' }] } });

      expect(lines.join()).not.toContain('hush');
    },
  );

  it('writes keys that only look alike', () => {
    const { logger, written } = setup();

    logger.info('taken', { key: 'shop/web', tokens: 3 });

    expect(written()).toMatchObject([{ key: 'shop/web', tokens: 3 }]);
  });

  it('writes an error with its causes', () => {
    const { logger, written } = setup();

    logger.error('failed', { error: new TypeError('outer', { cause: new Error('inner') }) });

    expect(written()).toMatchObject([{ error: { name: 'TypeError', message: 'outer', cause: { message: 'inner' } } }]);
  });

  it('never throws, whatever the fields are', () => {
    const { logger, lines } = setup();
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const hostile = {
      get trap(): string {
        throw new Error('no');
      },
    };

    logger.info('odd', { cycle, hostile, big: 10n, never: new Date(NaN), nothing: undefined, run: () => 1 });

    expect(lines).toHaveLength(1);
  });

  it('lets no field pose as the message', () => {
    const { logger, written } = setup();

    logger.warn('real', { message: 'fake', level: 'debug' });

    expect(written()).toMatchObject([{ message: 'real', level: 'warn' }]);
  });
});
