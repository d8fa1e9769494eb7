import { describeRefusal, type NeededPort } from './free-ports';

const api: NeededPort = { host: '127.0.0.1', port: 6464, what: 'the API server', scope: 'address', wayOut: 'choose another' };
const resolver: NeededPort = { host: '127.96.255.254', port: 8012, what: 'the resolver', scope: 'everywhere', wayOut: 'use ports' };

describe('describeRefusal', () => {
  it.each([
    [
      'Port 127.0.0.1:6464, which the API server would listen on, is taken, perhaps by another playground: stop whoever has it, or choose another.',
      api,
      'EADDRINUSE',
    ],
    [
      'Port 127.0.0.1:6464, which the API server would listen on, is taken, perhaps by another playground: stop whoever has it.',
      { ...api, wayOut: undefined },
      'EADDRINUSE',
    ],
    [
      'Port 8012, which the resolver would listen on, is taken on every address of this machine: stop whoever has it, or use ports.',
      resolver,
      'EADDRINUSE',
    ],
    [
      'Port 127.0.0.1:80, which the API server would listen on, needs permission that this user does not have: choose another.',
      { ...api, port: 80 },
      'EACCES',
    ],
    ['The address 127.96.255.254, which the resolver would listen on, is not on this machine: use ports.', resolver, 'EADDRNOTAVAIL'],
    ['Port 127.0.0.1:6464, which the API server would listen on, cannot be had (EMFILE): choose another.', api, 'EMFILE'],
  ])('says in one sentence what is wrong and what to do: %s', (sentence, needed, code) => {
    expect(describeRefusal(needed, code)).toBe(sentence);
  });
});
