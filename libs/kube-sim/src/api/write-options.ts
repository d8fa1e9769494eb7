import { type SimRequest } from '../sim-request';
import { type FieldValidation, type WriteOptions } from './api-request';
import { type FieldProblem, invalid } from './api.errors';
import { isTrue } from './request-info';

const FIELD_VALIDATIONS: readonly FieldValidation[] = ['Ignore', 'Strict', 'Warn'];
const LONGEST_MANAGER = 128;

/** Reads what a write's query asks for. A write that names no manager is known by its program, as its user agent says it. */
export function parseWriteOptions({ query, verb }: SimRequest, userAgent: string | undefined): WriteOptions {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const validation = query.get('fieldValidation') ?? '';
  const fieldValidation = validation === '' ? 'Warn' : FIELD_VALIDATIONS.find((value) => value === validation);
  const manager = query.get('fieldManager') ?? '';
  const problems: FieldProblem[] = [];
  if (dryRun.some((value) => value !== 'All')) problems.push(unsupported('dryRun', dryRun, '"All"'));
  if (!fieldValidation) problems.push(unsupported('fieldValidation', validation, '"", "Ignore", "Strict", "Warn"'));
  if (manager.length > LONGEST_MANAGER) {
    problems.push({ field: 'fieldManager', reason: 'FieldValueTooLong', message: 'Too long: may not be more than 128 bytes' });
  }
  if (problems.length > 0 || !fieldValidation) throw invalid('meta.k8s.io', OPTIONS_KINDS[verb] ?? 'CreateOptions', '', problems);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager || programOf(userAgent),
    fieldValidation,
    force: isTrue(query.get('force') ?? 'false'),
  };
}

const OPTIONS_KINDS: Readonly<Partial<Record<SimRequest['verb'], string>>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
};

const unsupported = (field: string, value: string | string[], supported: string): FieldProblem => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`,
});

function programOf(userAgent = ''): string {
  const [program = ''] = userAgent.split('/', 1);
  return program === '' ? 'unknown' : program.slice(0, LONGEST_MANAGER);
}
