import { printPath } from './field-set';
import type { FieldPath } from './field-set';
import { printOwner } from './managed-fields';
import type { Owner } from './managed-fields';

export interface ConflictCause {
  readonly manager: string;
  /** `.spec.replicas` */
  readonly field: string;
  /** `conflict with "kubectl" using apps/v1` */
  readonly message: string;
}

export interface OwnerConflict {
  readonly owner: Owner;
  readonly path: FieldPath;
}

/** Another manager owns fields that the applied configuration would change (409). The way out is to leave the fields out, or to force. */
export class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict';
  readonly code = 409;
  readonly causes: readonly ConflictCause[];

  constructor(conflicts: readonly OwnerConflict[]) {
    super(messageOf(conflicts));
    this.causes = conflicts.map(({ owner, path }) => ({
      manager: owner.manager,
      field: printPath(path),
      message: `conflict with ${printOwner(owner)}`,
    }));
  }
}

function messageOf(conflicts: readonly OwnerConflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${printOwner(first.owner)}: ${printPath(first.path)}`;
  }
  const byOwner = Map.groupBy(conflicts, ({ owner }) => printOwner(owner));
  const lines = [...byOwner].flatMap(([owner, theirs]) => [
    `conflicts with ${owner}:`,
    ...theirs.map(({ path }) => `- ${printPath(path)}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

/** The applied configuration does not fit its type: unknown fields, wrong types, items without keys or twice the same key. */
export class ApplySchemaError extends Error {
  override readonly name = 'ApplySchemaError';
  readonly code = 500;

  constructor(readonly problems: readonly string[]) {
    super(problems.length === 1 ? (problems[0] ?? '') : `errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}
