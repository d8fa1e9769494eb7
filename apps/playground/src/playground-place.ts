import type { Clock } from '@elasti/operator-kit';
import type { View } from './view';

/** What a run of the playground is given. */
export interface PlaygroundPlace {
  /** Of the repository. */
  readonly root: string;
  /** For its files; whoever made it removes it. */
  readonly folder: string;
  readonly clock: Clock;
  readonly view: View;
}
