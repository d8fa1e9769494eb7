import { CompactedError, type ObjectStore, type StoredObject } from '../store';
import { ApiError, type FieldProblem, badRequest, expired, invalid, tooLargeVersion } from './api.errors';
import { type Target } from './api-request';
import { type ObjectFilter, fieldFilter, labelFilter, parseFieldSelector } from './selectors';

export interface ListResult {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: number;
  readonly continueToken?: string;
  readonly remainingItemCount?: number;
}

interface ContinuePoint {
  /** The version all pages show; -1 after it was lost: then each page shows what is there. */
  readonly rv: number;
  readonly start: string;
}

const CONTINUE_FORMAT = 'meta.k8s.io/v1';

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted ' +
  'between the time the first chunk was returned and now may show up in the list.';

/** Which objects a request selects, by namespace, name, labels and fields. */
export function selectionOf(target: Target, query: URLSearchParams): { filter: ObjectFilter; isSelective: boolean } {
  const labels = query.get('labelSelector') ?? '';
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
  const byLabel = labelFilter(labels);
  const byField = fieldFilter(fields, target.type, target.version.name);
  const { namespace, name } = target;
  return {
    filter: (object) =>
      (namespace === '' || object.namespace === namespace) && (name === '' || object.name === name) && byLabel(object) && byField(object),
    isSelective: labels !== '' || fields.length > 0 || name !== '',
  };
}

/**
 * Answers lists: the latest state, a past one, or the next page of one that began earlier.
 *
 * Guarantees that the pages of one list show the same version as long as its changes are kept.
 */
export class ObjectLister {
  constructor(private readonly store: ObjectStore) {}

  list(target: Target, query: URLSearchParams): ListResult {
    const { filter, isSelective } = selectionOf(target, query);
    const asked = parseVersion(query.get('resourceVersion'));
    const match = query.get('resourceVersionMatch') ?? '';
    const continued = query.get('continue') ?? '';
    checkListOptions(query, match, continued);

    const limit = asked === 0 && match !== 'Exact' ? 0 : parseInteger(query.get('limit'));
    const point = continued === '' ? undefined : decodeContinue(continued);
    const version = point ? this.pageVersion(point, target) : this.firstVersion(asked, match, limit);
    const prefix = target.type.namespaced && target.namespace !== '' ? `${target.namespace}/` : '';
    return this.page(target, { version, prefix, start: point?.start ?? '', limit, filter, isSelective });
  }

  private page(
    target: Target,
    page: { version: number; prefix: string; start: string; limit: number; filter: ObjectFilter; isSelective: boolean },
  ): ListResult {
    const collection = this.store.collection(target.type.storageId);
    const items: StoredObject[] = [];
    let remaining = 0;
    let nextStart = '';
    try {
      const isNow = page.version >= this.store.currentVersion;
      const source = isNow ? collection.inOrder(page.prefix, page.start) : collection.inOrderAt(page.version, page.prefix, page.start);
      for (const object of source) {
        if (page.limit > 0 && items.length >= page.limit) {
          remaining++;
          // With a selector nobody counts what follows: that something does is enough.
          if (page.isSelective) break;
        } else if (page.filter(object)) {
          items.push(object);
          nextStart = `${object.key}\0`;
        }
      }
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      if (page.start === '') throw expired(`The resourceVersion for the provided list is too old.`);
      throw expired(CONTINUE_EXPIRED, encodeContinue({ rv: -1, start: page.start }));
    }
    if (remaining === 0) return { items, resourceVersion: page.version };
    return {
      items,
      resourceVersion: page.version,
      continueToken: encodeContinue({ rv: page.version, start: nextStart }),
      remainingItemCount: page.isSelective ? undefined : remaining,
    };
  }

  private firstVersion(asked: number | undefined, match: string, limit: number): number {
    const current = this.store.currentVersion;
    if (asked === undefined || asked === 0) return current;
    if (asked > current) throw tooLargeVersion(asked, current);
    const isExact = match === 'Exact' || (match === '' && limit > 0);
    return isExact ? asked : current;
  }

  private pageVersion(point: ContinuePoint, target: Target): number {
    if (point.rv < 0) return this.store.currentVersion;
    try {
      this.store.collection(target.type.storageId).changesSince(point.rv);
      return point.rv;
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      throw expired(CONTINUE_EXPIRED, encodeContinue({ rv: -1, start: point.start }));
    }
  }
}

export function parseVersion(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^\d+$/.test(text))
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return Number(text);
}

/** @throws ApiError 400 for what is no whole number. */
export function parseInteger(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** @throws ApiError for options that a watch cannot have together. */
export function checkWatchOptions(query: URLSearchParams): void {
  const match = query.get('resourceVersionMatch') ?? '';
  const problems: FieldProblem[] = [];
  if (!query.has('sendInitialEvents')) {
    if (match !== '')
      problems.push(forbiddenOption(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  } else if (match !== 'NotOlderThan') {
    problems.push(forbiddenOption(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    if (match !== '') problems.push(unsupportedMatch(match, '"NotOlderThan"'));
  }
  refuseOptions(problems);
  parseInteger(query.get('timeoutSeconds'));
  const version = query.get('resourceVersion') ?? '';
  if (version === '' || /^\d+$/.test(version)) return;
  const quoted = JSON.stringify(version);
  throw new ApiError(500, '', `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`);
}

function checkListOptions(query: URLSearchParams, match: string, continued: string): void {
  const version = query.get('resourceVersion') ?? '';
  const problems: FieldProblem[] = [];
  if (match !== '' && match !== 'Exact' && match !== 'NotOlderThan') problems.push(unsupportedMatch(match, '"Exact", "NotOlderThan", ""'));
  else if (match !== '') {
    if (continued !== '') problems.push(forbiddenOption(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    if (version === '') problems.push(forbiddenOption(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (match === 'Exact' && version === '0')
      problems.push(forbiddenOption(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (query.has('sendInitialEvents')) problems.push(forbiddenOption('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  refuseOptions(problems);
  parseInteger(query.get('timeoutSeconds'));
  if (continued !== '' && version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
}

const MATCH = 'resourceVersionMatch';

const forbiddenOption = (field: string, why: string): FieldProblem => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
});

const unsupportedMatch = (match: string, supported: string): FieldProblem => ({
  field: MATCH,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(match)}: supported values: ${supported}`,
});

function refuseOptions(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', problems);
}

const encodeContinue = ({ rv, start }: ContinuePoint): string =>
  Buffer.from(JSON.stringify({ v: CONTINUE_FORMAT, rv, start })).toString('base64url');

function decodeContinue(token: string): ContinuePoint {
  try {
    const { v, rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { v?: unknown; rv?: unknown; start?: unknown };
    if (v === CONTINUE_FORMAT && typeof rv === 'number' && typeof start === 'string') return { rv, start };
  } catch {
    // Falls through to the one answer for every unreadable token.
  }
  throw badRequest('invalid continue token: continue key is not valid: it was not made by this server');
}
