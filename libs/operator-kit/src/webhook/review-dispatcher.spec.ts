import { applyPatch, type Operation } from 'rfc6902';
import { type AdmissionHandler, allow, deny, replaceWith } from '.';
import { FakeClock, RecordingLogger } from '../testing';
import { ReviewDispatcher, type ReviewCall } from './review-dispatcher';

const signal = new AbortController().signal;
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { a: '1' } };

interface ReviewBody {
  response: {
    uid: string;
    allowed: boolean;
    patch?: string;
    warnings?: string[];
    auditAnnotations?: object;
    status?: { code: number; message: string };
    convertedObjects?: unknown[];
    result?: { status: string; message?: string };
  };
}

function setup(...handlers: AdmissionHandler[]) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const dispatcher = new ReviewDispatcher({ timeoutMs: 5_000, maxInFlight: 2, maxWaiting: 1 }, clock, logger);
  for (const handler of handlers) dispatcher.admit('/admit', handler);
  const send = async (overrides: Partial<ReviewCall> = {}, caller = signal) => {
    const { status, body } = await dispatcher.answer({ ...aCall(), ...overrides }, caller);
    return { status, body, response: (body as ReviewBody).response };
  };
  return { clock, logger, dispatcher, send };
}

function aCall(request: object = {}): ReviewCall {
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u-1', operation: 'CREATE', object, ...request },
  };
  return { method: 'POST', url: '/admit?timeout=10s', contentType: 'application/json', body: Buffer.from(JSON.stringify(review)) };
}

describe('admission reviews', () => {
  it.each<[string, Partial<ReviewCall>]>([
    ['an empty body', { body: Buffer.alloc(0) }],
    ['a body that is not JSON', { body: Buffer.from('{') }],
    ['another kind', { body: Buffer.from('{"apiVersion":"v1","kind":"Pod"}') }],
    ['another version of the review', { body: Buffer.from('{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}') }],
    ['a review without a request', { body: Buffer.from('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}') }],
    ['a request without a uid', { body: Buffer.from('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}}') }],
    ['another content type', { contentType: 'text/plain' }],
    ['no content type', { contentType: undefined }],
  ])('refuse %s with 400 and ask no handler', async (_, overrides) => {
    const asked: string[] = [];
    const { send } = setup(({ uid }) => {
      asked.push(uid);
      return allow();
    });

    const { status, body } = await send(overrides);

    expect(status).toBe(400);
    expect(body).toMatchObject({ kind: 'Status', code: 400, message: expect.any(String) as string });
    expect(asked).toEqual([]);
  });

  it.each([
    ['a path without a handler', { url: '/other' }, 404],
    ['another method', { method: 'GET' }, 405],
  ])('refuse %s', async (_, overrides, status) => {
    const { send } = setup(() => allow());

    await expect(send(overrides)).resolves.toMatchObject({ status });
  });

  it('answer with the uid of the request', async () => {
    const { send } = setup(() => allow());

    const { status, response } = await send(aCall({ uid: 'u-42' }));

    expect(status).toBe(200);
    expect(response).toEqual({ uid: 'u-42', allowed: true });
  });

  it('an exception is a 500 with uid', async () => {
    const { send, logger } = setup(() => {
      throw new Error('out of cheese');
    });

    const { status, response } = await send();

    expect(status).toBe(500);
    expect(response).toEqual({ uid: 'u-1', allowed: false, status: { code: 500, message: 'out of cheese' } });
    expect(logger.entries).toMatchObject([{ level: 'error', message: 'an admission webhook failed', fields: { path: '/admit' } }]);
  });

  it('any denial wins', async () => {
    const { send } = setup(
      () => allow(),
      () => deny('not on fridays'),
      () => deny('not at night either', { code: 422, reason: 'Invalid' }),
      () => replaceWith({ ...object, kind: 'Changed' }),
    );

    const { status, response } = await send();

    expect(status).toBe(200);
    expect(response).toEqual({ uid: 'u-1', allowed: false, status: { code: 403, message: 'not on fridays', reason: 'Forbidden' } });
  });

  it('warnings are merged', async () => {
    const { send } = setup(
      () => allow({ warnings: ['old field', 'slow'], auditAnnotations: { a: '1' } }),
      () => deny('no', { warnings: ['slow', 'unsafe'], auditAnnotations: { b: '2' } }),
    );

    const { response } = await send();

    expect(response.warnings).toEqual(['old field', 'slow', 'unsafe']);
    expect(response.auditAnnotations).toEqual({ a: '1', b: '2' });
  });

  it('give each handler the object as the ones before it left it, and answer with one patch', async () => {
    const { send } = setup(
      ({ object: sent }) => replaceWith({ ...object, ...sent, metadata: { name: 'web', labels: { team: 'x' } } }),
      ({ object: sent }) => replaceWith({ ...object, ...sent, metadata: { ...sent?.metadata, annotations: { seen: undefined as never } } }),
    );

    const { response } = await send();
    const patched = structuredClone(object);
    applyPatch(patched, JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString()) as Operation[]);

    expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(patched).toEqual({ ...object, metadata: { name: 'web', labels: { team: 'x' }, annotations: {} } });
  });

  it('leave out the patch when nothing changed', async () => {
    const { send } = setup(({ object: sent }) => replaceWith(structuredClone(sent ?? object)));

    const { response } = await send();

    expect(response).toEqual({ uid: 'u-1', allowed: true });
  });

  it('do not let a handler change the object behind the back of the others', async () => {
    const seen: unknown[] = [];
    const { send } = setup(
      ({ object: sent }) => {
        if (sent) sent.metadata.name = 'changed';
        return allow();
      },
      ({ object: sent }) => {
        seen.push(sent);
        return allow();
      },
    );

    const { response } = await send();

    expect(seen).toEqual([object]);
    expect(response.patch).toBeUndefined();
  });

  it.each([
    [{ dryRun: true }, true],
    [{}, false],
  ])('tell handlers whether it is a dry run: %j', async (request, expected) => {
    const seen: boolean[] = [];
    const { send } = setup(({ dryRun }) => {
      seen.push(dryRun);
      return allow();
    });

    await send(aCall(request));

    expect(seen).toEqual([expected]);
  });
});

describe('a slow handler', () => {
  const never: AdmissionHandler = () => new Promise(() => undefined);

  it.each([
    ['its own limit', '/admit', 5_000],
    ["the API server's limit", '/admit?timeout=2s', 2_000],
  ])('is given up after %s, with its signal fired', async (_, url, timeoutMs) => {
    const signals: AbortSignal[] = [];
    const { send, clock } = setup((_request, inner) => {
      signals.push(inner);
      return never(_request, inner);
    });

    const answer = send({ url });
    await clock.advance(timeoutMs - 1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await clock.advance(1);

    await expect(answer).resolves.toMatchObject({
      status: 500,
      response: { uid: 'u-1', status: { message: `the webhook had no answer within ${timeoutMs} ms` } },
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('hears of a caller that hung up', async () => {
    const signals: AbortSignal[] = [];
    const caller = new AbortController();
    const { send, clock, logger } = setup((request, inner) => {
      signals.push(inner);
      return never(request, inner);
    });

    const answer = send({}, caller.signal);
    await clock.advance(1);
    caller.abort(new Error('gone'));
    await answer;

    expect(logger.entries).toMatchObject([{ level: 'debug', fields: { path: '/admit' } }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps others waiting beyond the limit, and refuses those beyond the line with 503', async () => {
    const started: string[] = [];
    const releases: (() => void)[] = [];
    const { send, clock } = setup(({ uid }) => {
      started.push(uid);
      return new Promise((resolve) => releases.push(() => resolve(allow())));
    });

    const answers = ['1', '2', '3', '4'].map((uid) => send(aCall({ uid })));
    await clock.advance(1);
    expect(started).toEqual(['1', '2']);
    await expect(answers[3]).resolves.toMatchObject({ status: 503 });
    releases[0]?.();
    await clock.advance(1);

    expect(started).toEqual(['1', '2', '3']);
    for (const release of releases) release();
    await clock.advance(1);
    await expect(Promise.all(answers.slice(0, 3))).resolves.toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
  });
});

describe('conversion reviews', () => {
  const request = { uid: 'c-1', desiredAPIVersion: 'example.com/v2', objects: [object, { ...object, kind: 'Other' }] };
  const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
  const call = { url: '/convert', body: Buffer.from(JSON.stringify(review)) };

  it('answer with every object in its new version', async () => {
    const { send, dispatcher } = setup();
    dispatcher.convert('/convert', (one, apiVersion) => ({ ...one, apiVersion }));

    const { response } = await send(call);

    expect(response).toEqual({
      uid: 'c-1',
      result: { status: 'Success' },
      convertedObjects: request.objects.map((one) => ({ ...one, apiVersion: 'example.com/v2' })),
    });
  });

  it('fail as a whole, with the uid, when one object cannot be converted', async () => {
    const { send, dispatcher } = setup();
    dispatcher.convert('/convert', (one) => {
      if (one.kind === 'Other') throw new Error('cannot convert an Other');
      return one;
    });

    const { status, response } = await send(call);

    expect(status).toBe(200);
    expect(response).toEqual({ uid: 'c-1', result: { status: 'Failure', message: 'cannot convert an Other' } });
  });

  it('need a path of their own', () => {
    const { dispatcher } = setup(() => allow());

    expect(() => {
      dispatcher.convert('/admit', (one) => one);
    }).toThrow('/admit is taken');
  });
});
