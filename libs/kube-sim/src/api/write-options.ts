import { type FieldValidation, type WriteOptions } from './api-request';
import { badRequest, invalid } from './api.errors';
import { isTrue } from './request-info';

const FIELD_VALIDATIONS: readonly FieldValidation[] = ['Ignore', 'Warn', 'Strict'];

/** Reads what a write's query asks for. A write that names no manager is known by its program, as its user agent says it. */
export function parseWriteOptions(query: URLSearchParams, userAgent: string | undefined): WriteOptions {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  if (dryRun.some((value) => value !== 'All')) {
    throw invalid('meta.k8s.io', 'CreateOptions', '', [
      {
        field: 'dryRun',
        reason: 'FieldValueNotSupported',
        message: `Unsupported value: ${JSON.stringify(dryRun[0])}: supported values: "All"`,
      },
    ]);
  }
  const validation = query.get('fieldValidation') || 'Warn';
  const fieldValidation = FIELD_VALIDATIONS.find((value) => value === validation);
  if (!fieldValidation)
    throw badRequest(`fieldValidation: Unsupported value: ${JSON.stringify(validation)}: supported values: "", "Ignore", "Strict", "Warn"`);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: query.get('fieldManager') || programOf(userAgent),
    fieldValidation,
    force: isTrue(query.get('force') ?? 'false'),
  };
}

const programOf = (userAgent = 'unknown'): string => userAgent.split('/', 1)[0]?.slice(0, 128) || 'unknown';
