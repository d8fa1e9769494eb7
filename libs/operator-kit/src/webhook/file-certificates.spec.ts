import { FakeClock, RecordingLogger } from '../testing';
import { ecdsaIssuer } from './authority';
import type { CertificateFiles } from './certificate-files';
import type { ServingCertificate } from './certificate-source';
import { FileCertificates } from './file-certificates';

class FakeFiles implements CertificateFiles {
  readonly contents = new Map<string, string>();
  readonly watchers = new Set<() => void>();

  write({ cert, key }: ServingCertificate): void {
    this.contents.set('/certs/tls.crt', cert);
    this.contents.set('/certs/tls.key', key);
  }

  read(path: string): Promise<string> {
    const content = this.contents.get(path);
    return content === undefined ? Promise.reject(new Error(`no such file: ${path}`)) : Promise.resolve(content);
  }

  watch(_folder: string, onChange: () => void) {
    this.watchers.add(onChange);
    return { close: () => void this.watchers.delete(onChange) };
  }

  announce(): void {
    for (const onChange of this.watchers) onChange();
  }
}

const validity = { nowMs: Date.UTC(2030, 0, 1), lifetimeMs: 1_000_000 };

async function setup() {
  const authority = await ecdsaIssuer.createAuthority('ca', validity);
  const issue = () => ecdsaIssuer.issueCertificate(authority, ['a'], validity);
  const [first, second] = await Promise.all([issue(), issue()]);
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const files = new FakeFiles();
  const used: ServingCertificate[] = [];
  const options = { certFile: '/certs/tls.crt', keyFile: '/certs/tls.key', rereadMs: 1_000 };
  const source = new FileCertificates(options, clock, logger, files);
  const start = () => source.start((certificate) => used.push(certificate), new AbortController().signal);
  return { first, second, clock, logger, files, used, source, start };
}

describe('FileCertificates', () => {
  it('hands out the pair that is there at the start', async () => {
    const { first, files, used, start, source } = await setup();
    files.write(first);

    await start();

    expect(used).toEqual([first]);
    await source.stop();
  });

  it('does not start with files it cannot use', async () => {
    const { first, second, files, start } = await setup();
    files.write({ cert: first.cert, key: second.key });

    await expect(start()).rejects.toThrow('the key is not the one of the certificate');
  });

  it('hands out a new pair as soon as the folder announces it', async () => {
    const { first, second, files, used, start, source, clock } = await setup();
    files.write(first);
    await start();

    files.write(second);
    files.announce();
    await clock.advance(1);

    expect(used).toEqual([first, second]);
    await source.stop();
  });

  it('finds a new pair that nobody announced', async () => {
    const { first, second, files, used, start, source, clock } = await setup();
    files.write(first);
    await start();

    files.write(second);
    await clock.advance(1_000);

    expect(used).toEqual([first, second]);
    await source.stop();
  });

  it('hands out nothing when the content is the same', async () => {
    const { first, files, used, start, source, clock } = await setup();
    files.write(first);
    await start();

    files.announce();
    await clock.advance(10_000);

    expect(used).toEqual([first]);
    await source.stop();
  });

  it('a bad file keeps the old certificate', async () => {
    const { first, second, files, used, start, source, clock, logger } = await setup();
    files.write(first);
    await start();

    files.write({ cert: 'half a certif', key: first.key });
    await clock.advance(5_000);
    expect(used).toEqual([first]);
    expect(logger.messages('warn')).toEqual(['the certificate files cannot be used, the old certificate stays']);
    files.write(second);
    await clock.advance(1_000);

    expect(used).toEqual([first, second]);
    await source.stop();
  });

  it('leaves no watch and no timer behind', async () => {
    const { first, files, start, source, clock } = await setup();
    files.write(first);
    await start();

    await source.stop();

    expect(files.watchers.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});
