import { FakeClock, RecordingLogger } from '../testing';
import { SparseLog } from './sparse-log';

describe('SparseLog', () => {
  it('says once in an interval, and then how often it kept silent', async () => {
    const clock = new FakeClock();
    const logger = new RecordingLogger();
    const log = new SparseLog(logger, clock, 1_000);

    for (let i = 0; i < 3; i++) log.warn('it failed', { attempt: i });
    await clock.advance(1_000);
    log.warn('it failed', { attempt: 3 });

    expect(logger.entries.map(({ fields }) => fields)).toEqual([{ attempt: 0 }, { attempt: 3, unsaid: 2 }]);
  });
});
