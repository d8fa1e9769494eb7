import type { ErrorEvent } from '@sentry/nestjs';
import { stripEvent } from './strip-event';

describe('stripEvent', () => {
  it('leaves out everything of requests, users and hosts', () => {
    const event: ErrorEvent = {
      type: undefined,
      event_id: '1',
      message: 'it failed',
      server_name: 'hush',
      user: { ip_address: 'hush' },
      request: { url: 'hush', headers: { authorization: 'hush' }, data: 'hush', cookies: { a: 'hush' } },
      breadcrumbs: [{ message: 'hush' }],
      contexts: { response: { body: 'hush' } },
      tags: { url: 'hush' },
      extra: { body: 'hush', namespace: 'shop' },
      exception: {
        values: [{ type: 'Error', value: 'no', stacktrace: { frames: [{ filename: 'a.js', lineno: 1, vars: { token: 'hush' } }] } }],
      },
    };

    const stripped = stripEvent(event);

    expect(JSON.stringify(stripped)).not.toContain('hush');
    expect(stripped).toMatchObject({ event_id: '1', message: 'it failed', extra: { namespace: 'shop' } });
  });
});
