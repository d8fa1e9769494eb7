const redacted = '[redacted]';

/** Each finds something that may be a secret; what it keeps of the match is the replacement. */
const secrets: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A JSON Web Token, as ServiceAccounts have.
  [/\beyJ[\w-]+(\.[\w-]*)*/g, redacted],
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, `$1 ${redacted}`],
  [/\b([\w-]*(?:authorization|cookie|token|secret|password|passwd|api[-_]?key))(["']?\s*[:=]\s*["']?)[^\s"',;]+/gi, `$1$2${redacted}`],
  // The user and the query of an address.
  [/(\w+:\/\/)[^\s/@"']+@/g, '$1'],
  [/\?[^\s"']*/g, ''],
];

/** Takes out of a text what may be a secret: tokens, credentials, the queries of addresses. Better too much than too little. */
export function scrub(text: string): string {
  return secrets.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}
