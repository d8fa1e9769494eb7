import type { ElastiService } from '@elasti/api';
import { formatRef, type Frozen, refOf } from '@elasti/operator-kit';

/** Under what something is remembered of an ElastiService: one that was made again under the same name is another. */
export function identityOf(elastiService: Frozen<ElastiService>): string {
  return elastiService.metadata.uid ?? formatRef(refOf(elastiService));
}
