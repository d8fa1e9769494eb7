import type { ElastiService } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';

/** How many replicas targets are asked to have. */
export abstract class TargetScales {
  /** 0 is asleep; `undefined`: the target is not there, or nobody can tell, and then nothing is to be done about it. */
  abstract replicasOf(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<number | undefined>;
}
