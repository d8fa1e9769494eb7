import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The part of the file system that certificates live in. */
export interface CertificateFiles {
  read(path: string): Promise<string>;
  /** Calls `onChange` when something in the folder may have changed; may call too often, and on some file systems never. */
  watch(folder: string, onChange: () => void): { close(): void };
}

export const systemCertificateFiles: CertificateFiles = {
  read: (path) => readFile(path, 'utf8'),
  watch(folder, onChange) {
    const watcher = watch(folder, { persistent: false }, onChange);
    // A folder that goes away is found out about by the next regular look.
    watcher.on('error', () => {
      watcher.close();
    });
    return watcher;
  },
};
