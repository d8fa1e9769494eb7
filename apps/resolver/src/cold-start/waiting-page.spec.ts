import type { RequestView, ServicePort } from '../exchange';
import { WaitingPage } from './waiting-page';

const web: ServicePort = { namespace: 'shop', service: 'web', port: 80 };
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

function aRequest(method = 'GET', headers: Record<string, string> = browser): RequestView {
  return { method, target: '/<script>', host: 'web', header: (name) => headers[name] };
}

function setup({ coldStart = 'page', asleep = true }: { coldStart?: 'page' | 'hold'; asleep?: boolean } = {}) {
  const nudged: ServicePort[] = [];
  const page = new WaitingPage({
    nudge: (target) => {
      if (asleep) nudged.push(target);
      return asleep;
    },
  });
  return { nudged, answer: (request: RequestView, target = web) => page.answer({ coldStart }, target, request) };
}

describe('WaitingPage', () => {
  it('is given to a browser, is kept by nobody, and asks for the wake', () => {
    const { answer, nudged } = setup();

    const given = answer(aRequest());

    expect(given).toMatchObject({ status: 503, retryAfterSeconds: 2, contentType: 'text/html; charset=utf-8' });
    expect(given?.headers).toMatchObject({ 'Cache-Control': 'no-store' });
    expect(nudged).toEqual([web]);
  });

  it('reloads itself and needs nothing from elsewhere', () => {
    const text = setup().answer(aRequest())?.text ?? '';

    expect(text).toContain('<meta http-equiv="refresh" content="2">');
    expect(text).toContain('web is waking up');
    expect(text).not.toMatch(/\bsrc=|href=|url\(|<script/);
  });

  it('writes no name as markup', () => {
    expect(setup().answer(aRequest(), { ...web, service: '<b>&"' })?.text).toContain('&#60;b&#62;&#38;&#34; is waking up');
  });

  it.each([
    ['a request that changes something', aRequest('POST')],
    ['a client that does not ask for a page', aRequest('GET', { accept: '*/*' })],
    ['a script on a page', aRequest('GET', { ...browser, 'sec-fetch-mode': 'cors' })],
    ['a WebSocket', aRequest('GET', { ...browser, upgrade: 'websocket' })],
  ])('is not for %s, and wakes nothing for it', (_name, request) => {
    const { answer, nudged } = setup();

    expect(answer(request)).toBeUndefined();
    expect(nudged).toEqual([]);
  });

  it('is given for HEAD, too', () => {
    expect(setup().answer(aRequest('HEAD'))?.status).toBe(503);
  });

  it('is not given where requests are to be held', () => {
    const { answer, nudged } = setup({ coldStart: 'hold' });

    expect(answer(aRequest())).toBeUndefined();
    expect(nudged).toEqual([]);
  });

  it('is not given where there is nothing to wake', () => {
    expect(setup({ asleep: false }).answer(aRequest())).toBeUndefined();
  });
});
