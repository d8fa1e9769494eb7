import { Outlet } from './outlet';

/**
 * The way out to the client, for the pod's frames and for our own.
 *
 * Our own never come between two parts of a header block, and what of them the client has not taken is known.
 */
export class ClientOutlet extends Outlet {
  /** Own frames written since the client last took everything. */
  untakenBytes = 0;
  private block: 'none' | 'open' = 'none';
  private deferred = '';

  /** Frames of our own. */
  tell(frames: string): void {
    this.untakenBytes += frames.length;
    if (this.block === 'open') this.deferred += frames;
    else this.put(frames);
  }

  /** The client has taken everything that was written; what waits for the end of a header block was not. */
  onTaken(): void {
    if (this.deferred === '') this.untakenBytes = 0;
  }

  /** Whether the pod has begun a header block that is not yet whole. */
  get isInsideBlock(): boolean {
    return this.block === 'open';
  }

  /** The pod's header block goes on in the next frame, or does no longer. */
  set blockState(state: 'none' | 'open') {
    this.block = state;
    if (state === 'open' || this.deferred === '') return;
    this.put(this.deferred);
    this.deferred = '';
  }
}
