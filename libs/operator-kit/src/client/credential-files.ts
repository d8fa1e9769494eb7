import { readFileSync, statSync } from 'node:fs';

/** The files that credentials live in. */
export interface CredentialFiles {
  /** Changes when the file does. @throws when there is none */
  version(path: string): string;
  read(path: string): Buffer;
}

export const systemFiles: CredentialFiles = {
  version(path) {
    // Projected volumes swap a symbolic link: the file behind it is then another one, maybe of the same age.
    const { mtimeMs, ino, size } = statSync(path);
    return `${mtimeMs}:${ino}:${size}`;
  },
  read: (path) => readFileSync(path),
};

/** The content of one file, as of the last look at it. */
export class WatchedFile {
  private version: string | undefined;
  private bytes: Buffer | undefined;

  constructor(
    private readonly path: string,
    private readonly files: CredentialFiles,
  ) {}

  get content(): Buffer | undefined {
    return this.bytes;
  }

  /** Makes the next look read the file whatever its age. */
  forget(): void {
    this.version = undefined;
  }

  reload(): 'changed' | 'unchanged' {
    const version = this.files.version(this.path);
    if (version === this.version) return 'unchanged';
    this.bytes = this.files.read(this.path);
    this.version = version;
    return 'changed';
  }
}
