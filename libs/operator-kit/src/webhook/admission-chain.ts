import { createPatch } from 'rfc6902';
import type { KubeObject } from '../client';
import type { AdmissionHandler, AdmissionRequest, Verdict } from './admission';

export interface AdmissionResponse {
  uid: string;
  allowed: boolean;
  status?: { code: number; message: string; reason?: string };
  warnings?: string[];
  auditAnnotations?: Record<string, string>;
  patchType?: 'JSONPatch';
  /** Base64 of the JSON patch. */
  patch?: string;
}

/**
 * Asks every handler in turn, each about the object as the ones before it left it. Any denial wins over all else, the first of them
 * is the answer; the warnings and annotations of all are merged.
 */
export async function runAdmission(
  handlers: readonly AdmissionHandler[],
  request: AdmissionRequest,
  signal: AbortSignal,
): Promise<AdmissionResponse> {
  let object = structuredClone(request.object);
  const verdicts: Verdict[] = [];
  for (const handler of handlers) {
    signal.throwIfAborted();
    const verdict = await handler({ ...request, object: structuredClone(object) }, signal);
    verdicts.push(verdict);
    if (verdict.outcome === 'replaced') object = verdict.object;
  }

  const remarks = mergeRemarks(verdicts);
  const denial = verdicts.find((verdict) => verdict.outcome === 'denied');
  if (denial) {
    const { code, message, reason } = denial;
    return { uid: request.uid, allowed: false, status: { code, message, reason }, ...remarks };
  }
  return { uid: request.uid, allowed: true, ...remarks, ...patchBetween(request.object, object) };
}

function mergeRemarks(verdicts: Verdict[]): Pick<AdmissionResponse, 'warnings' | 'auditAnnotations'> {
  const warnings = [...new Set(verdicts.flatMap((verdict) => verdict.warnings ?? []))];
  const auditAnnotations = Object.assign({}, ...verdicts.map((verdict) => verdict.auditAnnotations ?? {})) as Record<string, string>;
  return {
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(Object.keys(auditAnnotations).length > 0 ? { auditAnnotations } : {}),
  };
}

function patchBetween(before: KubeObject | undefined, after: KubeObject | undefined): Pick<AdmissionResponse, 'patch' | 'patchType'> {
  // What JSON leaves out would otherwise turn up as operations without a value.
  const operations = before && after ? createPatch(before, JSON.parse(JSON.stringify(after))) : [];
  if (operations.length === 0) return {};
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}
