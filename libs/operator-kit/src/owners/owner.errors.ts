/** Kubernetes lets one object have one controlling owner, and the wish was for a second. */
export class AlreadyControlledError extends Error {
  override readonly name = 'AlreadyControlledError';

  constructor(
    readonly object: string,
    readonly currentOwner: string,
    readonly wantedOwner: string,
  ) {
    super(
      `${object} is controlled by ${currentOwner} and cannot also be controlled by ${wantedOwner}: ` +
        `give the object another name, or use ownerReferenceTo for an owner that does not control it`,
    );
  }
}

/** The garbage collector deletes objects whose owner it does not find in their own namespace. */
export class CrossNamespaceOwnerError extends Error {
  override readonly name = 'CrossNamespaceOwnerError';

  constructor(
    readonly object: string,
    readonly owner: string,
    ownerNamespace: string,
  ) {
    super(
      `${object} cannot be owned by ${owner}: an owner is cluster-scoped or in the namespace of what it owns; ` +
        `set metadata.namespace to ${ownerNamespace}, or track the object by a label and delete it in finalize()`,
    );
  }
}

/** An owner reference needs what only the API server gives. */
export class OwnerNotCreatedError extends Error {
  override readonly name = 'OwnerNotCreatedError';

  constructor(readonly owner: string) {
    super(
      `${owner} has no metadata.uid or no metadata.name and so cannot own anything: create it first and use the object the server returned`,
    );
  }
}
