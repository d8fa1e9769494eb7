import { TooManyRequestsError, apiErrorFor } from './kube.errors';

describe('TooManyRequestsError', () => {
  it('says how long the server asked to wait, if it did', () => {
    const busy = apiErrorFor(429, { kind: 'Status', apiVersion: 'v1', details: { retryAfterSeconds: 7 } }, 'GET /api/v1/pods');
    const silent = apiErrorFor(429, { kind: 'Status', apiVersion: 'v1' }, 'GET /api/v1/pods');

    expect([busy, silent].map((error) => error instanceof TooManyRequestsError && error.retryAfterMs)).toEqual([7_000, undefined]);
  });
});
