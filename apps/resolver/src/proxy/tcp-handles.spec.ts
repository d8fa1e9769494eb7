import { TcpHandles } from './tcp-handles';

describe('TcpHandles', () => {
  it('finds what it needs in the Node that the images have', () => {
    expect(TcpHandles.find()).toBeInstanceOf(TcpHandles);
  });
});
