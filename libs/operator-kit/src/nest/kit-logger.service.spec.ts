import type { LogFields, Logger } from '../logging';
import { KitLogger } from './kit-logger.service';

function setup() {
  const lines: [level: string, message: string, fields?: LogFields][] = [];
  const at = (level: string) => (message: string, fields?: LogFields) => void lines.push([level, message, fields]);
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), with: () => logger };
  return { nest: new KitLogger(logger), lines };
}

describe('KitLogger', () => {
  it('keeps the level, the message and the context', () => {
    const { nest, lines } = setup();

    nest.log('started', 'NestApplication');
    nest.warn('slow', 'Router');
    nest.verbose('detail');

    expect(lines).toEqual([
      ['info', 'started', { context: 'NestApplication' }],
      ['warn', 'slow', { context: 'Router' }],
      ['debug', 'detail', {}],
    ]);
  });

  it('takes the stack for the error', () => {
    const { nest, lines } = setup();
    const error = new Error('broken');

    nest.error('it failed', 'Error: broken\n at x', 'Router');
    nest.error(error, 'Router');

    expect(lines).toEqual([
      ['error', 'it failed', { context: 'Router', error: 'Error: broken\n at x' }],
      ['error', 'broken', { context: 'Router', error }],
    ]);
  });
});
