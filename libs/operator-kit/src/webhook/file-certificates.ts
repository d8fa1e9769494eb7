import { dirname } from 'node:path';
import { type Clock, sleep } from '../clock';
import type { Logger } from '../logging';
import { type CertificateSource, type ServingCertificate, checkCertificate } from './certificate-source';
import { type CertificateFiles, systemCertificateFiles } from './certificate-files';

export interface FileCertificateOptions {
  /** As cert-manager and `kubernetes.io/tls` Secrets name them: `/certs/tls.crt`. */
  certFile: string;
  keyFile: string;
  /** How often the files are read again whatever their folder announces. Default: 10 s. */
  rereadMs?: number;
}

/**
 * A certificate that lives in two files and is replaced under way, by a Secret volume (a symbolic link swapped in one step) or by hand.
 *
 * What counts is the content: a pair that cannot be used, or is only half written, keeps the old one in use and is logged once.
 */
export class FileCertificates implements CertificateSource {
  private current?: ServingCertificate;
  private complained?: string;
  private readonly abort = new AbortController();
  private watching = Promise.resolve();
  private announced = false;
  private wake?: () => void;

  constructor(
    private readonly options: FileCertificateOptions,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly files: CertificateFiles = systemCertificateFiles,
  ) {}

  async start(use: (certificate: ServingCertificate) => void, signal: AbortSignal): Promise<void> {
    const first = await this.read();
    checkCertificate(first);
    this.current = first;
    use(first);
    this.watching = this.follow(use, AbortSignal.any([signal, this.abort.signal]));
  }

  async stop(): Promise<void> {
    this.abort.abort(new Error('stopped'));
    await this.watching;
  }

  private async follow(use: (certificate: ServingCertificate) => void, signal: AbortSignal): Promise<void> {
    const folders = new Set([dirname(this.options.certFile), dirname(this.options.keyFile)]);
    const watches = [...folders].map((folder) => this.files.watch(folder, () => this.announce()));
    try {
      while ((await this.change(signal)) === 'look') await this.reload(use);
    } finally {
      for (const watch of watches) watch.close();
    }
  }

  private announce(): void {
    this.announced = true;
    this.wake?.();
  }

  /** Until the folder announces something, or it is time to look anyway. What was announced during the last look counts. */
  private async change(signal: AbortSignal): Promise<'look' | 'stop'> {
    const changed = new AbortController();
    this.wake = () => {
      changed.abort();
    };
    if (!this.announced) {
      await sleep(this.clock, this.options.rereadMs ?? 10_000, AbortSignal.any([signal, changed.signal])).catch(() => undefined);
    }
    this.announced = false;
    return signal.aborted ? 'stop' : 'look';
  }

  private async reload(use: (certificate: ServingCertificate) => void): Promise<void> {
    try {
      const next = await this.read();
      if (next.cert === this.current?.cert && next.key === this.current.key) return;
      checkCertificate(next);
      this.current = next;
      this.complained = undefined;
      use(next);
      this.logger.info('the serving certificate was reloaded', { file: this.options.certFile });
    } catch (error) {
      this.complainOnce(error);
    }
  }

  private async read(): Promise<ServingCertificate> {
    const [cert, key] = await Promise.all([this.files.read(this.options.certFile), this.files.read(this.options.keyFile)]);
    return { cert, key };
  }

  private complainOnce(error: unknown): void {
    const complaint = error instanceof Error ? error.message : String(error);
    if (complaint === this.complained) return;
    this.complained = complaint;
    this.logger.warn('the certificate files cannot be used, the old certificate stays', { file: this.options.certFile, error });
  }
}
