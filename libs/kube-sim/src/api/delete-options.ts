import { type JsonObject, asArray, asObject, asString } from '../store';
import { type FieldProblem, badRequest, invalid } from './api.errors';
import { parseInteger } from './object-lister';
import { isTrue } from './request-info';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: Propagation;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly dryRun: boolean;
}

const POLICIES: readonly Propagation[] = ['Foreground', 'Background', 'Orphan'];

/** Reads the DeleteOptions of a request: the body where there is one, and then nothing but the body; else the query. */
export function parseDeleteOptions(body: JsonObject | undefined, query: URLSearchParams): DeleteOptions {
  const given = body ?? optionsInQuery(query);
  checkBody(given);
  const { gracePeriodSeconds, orphanDependents } = given;
  const policy = asString(given.propagationPolicy);
  const dryRun = asArray(given.dryRun);
  const problems = [...dryRunProblems(dryRun), ...policyProblems(policy, orphanDependents)];
  if (problems.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', problems);
  const preconditions = asObject(given.preconditions);
  return {
    gracePeriodSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    propagationPolicy: POLICIES.find((known) => known === policy) ?? oldPolicy(orphanDependents),
    uid: asString(preconditions.uid) || undefined,
    resourceVersion: asString(preconditions.resourceVersion) || undefined,
    dryRun: dryRun.length > 0,
  };
}

function optionsInQuery(query: URLSearchParams): JsonObject {
  const options: JsonObject = { dryRun: query.getAll('dryRun').filter((value) => value !== '') };
  if (query.get('gracePeriodSeconds')) options.gracePeriodSeconds = parseInteger(query.get('gracePeriodSeconds'));
  if (query.has('orphanDependents')) options.orphanDependents = isTrue(query.get('orphanDependents'));
  const policy = query.get('propagationPolicy');
  if (policy !== null) options.propagationPolicy = policy;
  return options;
}

function checkBody({ kind, apiVersion, gracePeriodSeconds }: JsonObject): void {
  if (kind !== undefined && kind !== 'DeleteOptions')
    throw badRequest(`no kind "${asString(kind)}" is registered for version "${asString(apiVersion)}": only DeleteOptions may be sent`);
  if (typeof gracePeriodSeconds === 'string')
    throw badRequest('json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64');
}

function dryRunProblems(dryRun: readonly unknown[]): FieldProblem[] {
  if (dryRun.every((value) => value === 'All')) return [];
  const message = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
  return [{ field: 'dryRun', reason: 'FieldValueNotSupported', message }];
}

function policyProblems(policy: string, orphanDependents: unknown): FieldProblem[] {
  const field = 'propagationPolicy';
  if (policy === '') return [];
  const value = JSON.stringify(policy);
  if (!POLICIES.some((known) => known === policy)) {
    const message = `Unsupported value: ${value}: supported values: "Foreground", "Background", "Orphan", "nil"`;
    return [{ field, reason: 'FieldValueNotSupported', message }];
  }
  if (typeof orphanDependents !== 'boolean') return [];
  const message = `Invalid value: ${value}: orphanDependents and deletionPropagation cannot be both set`;
  return [{ field, reason: 'FieldValueInvalid', message }];
}

/** What said the same before there was a policy. */
function oldPolicy(orphanDependents: unknown): Propagation | undefined {
  if (typeof orphanDependents !== 'boolean') return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}
