import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { systemClock } from '@elasti/operator-kit';
import { type Link, type LinkOwner, Links } from '../../apps/resolver/src/proxy';
import { acceptConnections } from '../../apps/resolver/src/proxy/accept';
import { until } from './resolver-http1.fixture';

/** Remembers what a link told, and copies what it read. */
class Witness implements LinkOwner {
  readonly told: string[] = [];
  text = '';
  error: Error | undefined;
  /** What it does while it is read to. */
  onRead: (text: string) => void = () => undefined;

  constructor(readonly link: Link) {
    link.owner = this;
  }

  onBytes(bytes: Buffer, length: number): void {
    const text = bytes.toString('latin1', 0, length);
    this.text += text;
    this.onRead(text);
  }

  onDrain(): void {
    this.told.push('drain');
  }

  onEnd(): void {
    this.told.push('end');
  }

  onClosed(error: Error | undefined): void {
    this.error = error;
    this.told.push('closed');
  }
}

const megabyte = 1024 * 1024;

describe.each(['handles', 'sockets'] as const)('a link by %s', (by) => {
  const open: { destroy(): void }[] = [];
  const servers: Server[] = [];

  afterEach(async () => {
    for (const one of open.splice(0)) one.destroy();
    for (const server of servers.splice(0)) {
      server.close();
      await once(server, 'close');
    }
  });

  async function closeServer(port: number): Promise<void> {
    const server = servers.find((one) => (one.address() as AddressInfo).port === port);
    if (!server) return;
    servers.splice(servers.indexOf(server), 1);
    server.close();
    await once(server, 'close');
  }

  async function listen(host: string, setUp: (server: Server) => void): Promise<number> {
    const server = createServer({ allowHalfOpen: true });
    servers.push(server);
    server.listen(0, host);
    await once(server, 'listening');
    setUp(server);
    return (server.address() as AddressInfo).port;
  }

  /** A link that was accepted, and the client at the other end. */
  async function accepted(links = new Links(systemClock, by)): Promise<{ witness: Witness; client: Socket }> {
    const found = Promise.withResolvers<Witness>();
    const port = await listen('127.0.0.1', (server) =>
      acceptConnections(server, (source) => found.resolve(new Witness(links.accept(source)))),
    );
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined);
    open.push(client);
    const witness = await found.promise;
    open.push(witness.link);
    return { witness, client };
  }

  /** A link that was dialled, and the server's end of it. */
  async function dialled(host: string): Promise<{ witness: Witness; server: Socket }> {
    const links = new Links(systemClock, by);
    const found = Promise.withResolvers<Socket>();
    const port = await listen(host, (server) => server.on('connection', (socket) => found.resolve(socket)));
    const opened = Promise.withResolvers<undefined>();
    const witness = new Witness(links.dial(host, port, () => opened.resolve(undefined)));
    open.push(witness.link);
    await opened.promise;
    const server = await found.promise;
    server.on('error', () => undefined);
    open.push(server);
    return { witness, server };
  }

  it('takes and gives bytes, and knows who is there', async () => {
    const { witness, client } = await accepted();

    client.write('question');
    await until('the question', () => witness.text === 'question');
    witness.link.write('ans\xe9');
    const [answer] = (await once(client, 'data')) as [Buffer];

    expect(answer.toString('latin1')).toBe('ans\xe9');
    expect([witness.link.remoteAddress, witness.link.bytesRead]).toEqual(['127.0.0.1', 8]);
  });

  it.each(['127.0.0.1', '::1'])('dials %s', async (host) => {
    const { witness, server } = await dialled(host);

    witness.link.writeWith('head ', Buffer.from('a body'), 2, 6);
    const [bytes] = (await once(server, 'data')) as [Buffer];
    server.write('answer');
    await until('the answer', () => witness.text === 'answer');

    expect(bytes.toString()).toBe('head body');
  });

  it('says when the other side takes less than it is given, and when it has taken all, in order', async () => {
    const { witness, server } = await dialled('127.0.0.1');
    const pieces = ['a', 'b', 'c'].map((letter) => Buffer.alloc(8 * megabyte, letter));

    const taken = pieces.map((piece) => witness.link.writeBytes(piece, 0, piece.length));
    const isCongested = witness.link.isCongested;
    let text = '';
    server.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    await until('all to be taken', () => text.length === 24 * megabyte && witness.told.includes('drain'));

    expect([taken[0], isCongested, witness.link.isCongested, witness.told]).toEqual([false, true, false, ['drain']]);
    expect(text).toBe(Buffer.concat(pieces).toString('latin1'));
  });

  it('keeps small writes that wait as they were, whatever is written after them, to others too', async () => {
    const links = new Links(systemClock, by);
    const [{ witness, client }, other] = [await accepted(links), await accepted(links)];
    client.pause();
    other.client.resume();
    const letters = 'abcdefghij';
    const pieces = Array.from({ length: 2_000 }, (_, count) => (letters[count % letters.length] ?? '').repeat(4_000));
    let received = '';

    for (const piece of pieces) {
      witness.link.writeWith(`${piece.length}:`, Buffer.from(piece), 0, piece.length);
      other.witness.link.writeWith('other', Buffer.alloc(4_000, 'x'), 0, 4_000);
    }
    const waited = witness.link.isCongested;
    client.setEncoding('latin1').on('data', (text: string) => (received += text));
    client.resume();
    const sent = pieces.map((piece) => `${piece.length}:${piece}`).join('');
    await until('all is there', () => received.length === sent.length);

    expect([waited, received === sent]).toEqual([true, true]);
  });

  it.each<[string, string, (link: Link) => unknown]>([
    ['text', 'one, two', (link) => link.write('two')],
    ['a few bytes', 'one, two', (link) => link.writeWith('t', Buffer.from('two'), 1, 3)],
    ['many bytes', `one, ${'t'.repeat(megabyte)}`, (link) => link.writeBytes(Buffer.alloc(megabyte, 't'), 0, megabyte)],
  ])('sends what is written while it reads in the order in which it was: text, and then %s', async (_name, expected, goOn) => {
    const { witness, client } = await accepted();
    let received = '';
    client.setEncoding('latin1').on('data', (text: string) => (received += text));
    witness.onRead = () => {
      witness.link.write('one, ');
      goOn(witness.link);
    };

    client.write('go');
    await until('all of it', () => received.length >= expected.length);

    expect(received === expected).toBe(true);
  });

  it.each<[string, (link: Link) => void]>([
    ['ended', (link) => link.end()],
    ['destroyed', (link) => link.destroy()],
  ])('sends what was written while it reads also when it is %s right after', async (_name, leave) => {
    const { witness, client } = await accepted();
    let received = '';
    client.setEncoding('latin1').on('data', (text: string) => (received += text));
    witness.onRead = () => {
      witness.link.write('last words');
      leave(witness.link);
    };

    client.write('go');
    await until('the end', () => client.readableEnded);

    expect(received).toBe('last words');
  });

  it('keeps what is written while it reads as it was, however slowly it is taken, and says when all is', async () => {
    const links = new Links(systemClock, by);
    const [{ witness, client }, other] = [await accepted(links), await accepted(links)];
    const pieces = Array.from({ length: 1_200 }, (_, count) => String.fromCharCode(97 + (count % 26)).repeat(15_000));
    let count = 0;
    witness.onRead = () => {
      const piece = pieces[count++] ?? '';
      witness.link.writeWith(piece.slice(0, 1), Buffer.from(piece), 1, piece.length);
    };
    other.witness.onRead = () => void other.witness.link.writeWith('other', Buffer.alloc(12_000, 'x'), 0, 12_000);
    client.pause();
    other.client.resume();

    for (let asked = 0; asked < pieces.length; asked++) {
      client.write('?');
      other.client.write('?');
      await until('the question', () => witness.text.length > asked && other.witness.text.length > 0);
    }
    await until('congestion', () => witness.link.isCongested);
    let received = '';
    client.setEncoding('latin1').on('data', (text: string) => (received += text));
    client.resume();
    await until('all is there', () => received.length === 15_000 * pieces.length && witness.told.includes('drain'));

    expect([received === pieces.join(''), witness.link.isCongested]).toEqual([true, false]);
  });

  it('that ends owes nothing any more once all is taken', async () => {
    const { witness, server } = await dialled('127.0.0.1');
    let isFlushed = false;

    witness.link.writeBytes(Buffer.alloc(8 * megabyte), 0, 8 * megabyte);
    witness.link.end(() => (isFlushed = true));
    const before = witness.link.isCongested;
    server.resume();
    await until('all to be taken', () => isFlushed);

    expect([before, witness.link.isCongested]).toEqual([true, false]);
  });

  it('is counted from its dial to its end, however that comes', async () => {
    const links = new Links(systemClock, by);
    const port = await listen('127.0.0.1', (server) =>
      server.on('connection', (socket) => {
        open.push(socket);
        socket
          .on('error', () => undefined)
          .on('end', () => socket.end())
          .resume();
      }),
    );
    const refused = await listen('127.0.0.1', () => undefined);
    await closeServer(refused);
    let opened = 0;
    const dial = (to: number) => new Witness(links.dial('127.0.0.1', to, () => opened++));
    const ends: ((link: Link) => void)[] = [(link) => link.destroy(), (link) => link.reset(), (link) => link.end()];

    const dialled = ends.map(() => dial(port));
    dial(refused);
    const before = links.openDialled;
    await until('three to be open', () => opened === 3);
    for (const [index, { link }] of dialled.entries()) ends[index]?.(link);

    await until('none to be left', () => links.openDialled === 0);
    expect(before).toBe(4);
  });

  it('reads no more while it is paused', async () => {
    const { witness, client } = await accepted();
    witness.link.pause();

    client.write(Buffer.alloc(32 * megabyte, 'x'));
    const other = await accepted();
    other.client.write('meanwhile');
    await until('another to be read', () => other.witness.text === 'meanwhile');
    const whilePaused = witness.text.length;
    witness.link.resume();
    await until('all to be read', () => witness.text.length === 32 * megabyte);

    expect(whilePaused).toBe(0);
  });

  it('ends one direction and hears the end of the other before it is gone', async () => {
    const { witness, client } = await accepted();
    client.resume();
    const flushed = Promise.withResolvers<undefined>();

    witness.link.write('last words');
    witness.link.end(() => flushed.resolve(undefined));
    await Promise.all([flushed.promise, once(client, 'end')]);
    client.end('and mine');
    await until('the link to be gone', () => witness.told.includes('closed'));

    expect([witness.text, witness.told, witness.error]).toEqual(['and mine', ['end', 'closed'], undefined]);
  });

  it('is gone, with the reason, when the other side resets', async () => {
    const { witness, client } = await accepted();

    client.resetAndDestroy();
    await until('the link to be gone', () => witness.told.includes('closed'));

    expect(witness.error?.message).toMatch(/ECONNRESET/);
  });

  it('resets so that the other side cannot take it for an end', async () => {
    const { witness, client } = await accepted();
    const failed = once(client, 'error');
    client.resume();

    witness.link.reset();
    const [error] = (await failed.catch((thrown: unknown) => [thrown])) as [NodeJS.ErrnoException];

    expect([error.code, witness.told]).toEqual(['ECONNRESET', []]);
  });

  it('tells nothing after it was destroyed', async () => {
    const { witness, client } = await accepted();
    client.resume();

    witness.link.destroy();
    client.write('too late');
    await Promise.race([once(client, 'end'), once(client, 'close')]);

    expect([witness.told, witness.text, witness.link.write('nobody hears this')]).toEqual([[], '', false]);
  });

  it('reports a pod that refuses the connection', async () => {
    const port = await listen('127.0.0.1', () => undefined);
    const [server] = servers.splice(0);
    server?.close();
    if (server) await once(server, 'close');

    const witness = new Witness(new Links(systemClock, by).dial('127.0.0.1', port, () => undefined));
    await until('the refusal', () => witness.told.includes('closed'));

    expect(witness.error?.message).toMatch(/ECONNREFUSED/);
  });

  it('reports an address that is none', async () => {
    const witness = new Witness(new Links(systemClock, by).dial('999.1.2.3', 80, () => undefined));
    await until('the refusal', () => witness.told.includes('closed'));

    expect(witness.error?.message).toMatch(/ENOTFOUND|EINVAL/);
  });
});
