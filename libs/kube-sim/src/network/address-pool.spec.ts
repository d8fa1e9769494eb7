import { ManualClock } from '../manual-clock.fixture';
import { AddressPool } from './address-pool';
import { AddressRange } from './address-range';

describe('AddressRange', () => {
  it('counts its addresses without the first and the last', () => {
    const range = new AddressRange('127.96.7.9/30');

    expect([range.size, range.at(0), range.at(1), range.at(2)]).toEqual([2, '127.96.7.9', '127.96.7.10', '127.96.7.9']);
    expect(new AddressRange('10.96.0.0/16').at(9)).toBe('10.96.0.10');
    expect(new AddressRange('127.0.0.0/8').at(2 ** 24 - 3)).toBe('127.255.255.254');
  });

  it.each(['127.0.0.1', '127.0.0.0/31', '127.0.0.0/7', '::1/64', '127.0.0.0/x', ''])('refuses %j', (text) => {
    expect(() => new AddressRange(text)).toThrow(`"${text}" is no range of IPv4 addresses`);
  });
});

describe('AddressPool', () => {
  const pool = (clock: ManualClock) => new AddressPool(new AddressRange('127.64.0.0/29'), clock, { restMs: 1000, start: 4 });

  it('gives each address to one owner, in turn from its start', () => {
    const addresses = pool(new ManualClock());

    const given = Array.from({ length: 6 }, () => addresses.take());

    expect(given).toEqual([5, 6, 1, 2, 3, 4].map((last) => `127.64.0.${last}`));
    expect(() => addresses.take()).toThrow('all 6 addresses of 127.64.0.0/29 are in use or rest: take a larger range');
  });

  it('lets an address rest before it gives it again', async () => {
    const clock = new ManualClock();
    const addresses = pool(clock);
    const given = Array.from({ length: 6 }, () => addresses.take());

    addresses.giveBack('127.64.0.1');
    await clock.advance(999);
    expect(() => addresses.take()).toThrow('in use or rest');
    await clock.advance(1);

    expect(given).toContain(addresses.take());
  });

  it('takes back only what it gave', () => {
    const addresses = pool(new ManualClock());

    addresses.giveBack('127.64.0.5');

    expect(addresses.take()).toBe('127.64.0.5');
  });
});
