import { isIPv4 } from 'node:net';

/** The IPv4 addresses of a range such as 127.96.0.0/16, by number; the first and the last, which hosts do not get, are left out. */
export class AddressRange {
  readonly size: number;
  private readonly first: number;

  /** @throws RangeError when the text is no range of at least two addresses. */
  constructor(readonly text: string) {
    const [address = '', bits = ''] = text.split('/');
    const prefix = Number(bits);
    if (!isIPv4(address) || !/^\d+$/.test(bits) || prefix < 8 || prefix > 30)
      throw new RangeError(`"${text}" is no range of IPv4 addresses: write it as in 127.96.0.0/16, with 8 to 30 bits`);
    const all = 2 ** (32 - prefix);
    this.first = Math.floor(toNumber(address) / all) * all + 1;
    this.size = all - 2;
  }

  /** Numbers beyond the end begin again. */
  at(index: number): string {
    const number = this.first + (index % this.size);
    return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
  }
}

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
