import { RequestHead } from '../http1';
import { H2Request } from './h2-request';
import { HeaderField } from './header-field';

type Fields = readonly (readonly [string, string])[];

function h2(fields: Fields, host: Fields = [[':authority', 'web.shop']]): H2Request {
  const head: Fields = [[':method', 'GET'], [':scheme', 'http'], [':path', '/'], ...host];
  const request = H2Request.from([...head, ...fields].map(([name, value]) => new HeaderField(name, value)));
  if (request === undefined) throw new Error('no request');
  return request;
}

function http1(fields: Fields): RequestHead {
  const head = new RequestHead();
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  if (head.read(`GET / HTTP/1.1\r\nHost: web.shop\r\n${lines}`)) throw new Error('no request');
  return head;
}

describe('H2Request', () => {
  it.each<[string, Fields]>([
    ['given once', [['x-probe', 'a']]],
    [
      'given several times',
      [
        ['x-probe', 'a'],
        ['x-other', 'b'],
        ['x-probe', 'c'],
      ],
    ],
    ['that is empty', [['x-probe', '']]],
    [
      'that is empty at first',
      [
        ['x-probe', ''],
        ['x-probe', 'c'],
      ],
    ],
    ['that is not there', []],
  ])('says of a header %s what HTTP/1 says', (_, fields) => {
    expect(h2(fields).header('x-probe')).toBe(http1(fields).header('x-probe'));
  });

  it('says of its host what HTTP/1 says, wherever it stands', () => {
    const said = http1([]).header('host');

    expect([h2([]).header('host'), h2([], [['host', 'web.shop']]).header('host')]).toEqual([said, said]);
    expect(h2([], []).header('host')).toBeUndefined();
  });

  it('puts cookies together that were sent one by one, as clients of HTTP/1 send them', () => {
    const crumbs: Fields = [
      ['cookie', 'a=1'],
      ['cookie', 'b=2'],
    ];

    expect(h2(crumbs).header('cookie')).toBe(http1([['Cookie', 'a=1; b=2']]).header('cookie'));
  });

  it.each([[['1']], [['1', '1']], [['0', '1']], [['1', '0']], [[]]])('asks for its timing with %j where HTTP/1 does', (values) => {
    const fields = values.map((value) => ['x-elasti-timing', value] as const);

    expect(h2(fields).asksTiming).toBe(http1(fields).fields.asksTiming);
  });

  it('accepts events when any of its accept headers does', () => {
    const accepts: Fields = [
      ['accept', 'text/html'],
      ['accept', 'text/event-stream'],
    ];

    expect(h2(accepts).acceptsEvents).toBe(true);
  });
});
