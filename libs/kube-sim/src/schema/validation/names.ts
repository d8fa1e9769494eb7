const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const LABEL_1035_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const QUALIFIED_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Each rule answers with what is wrong, in the API server's words; nothing means the name is good. */
export type NameRule = (name: string) => string[];

export const dnsLabel: NameRule = (name) => [
  ...tooLong(name, 63, 'characters'),
  ...mismatch(name, LABEL, `${LABEL_RULE} (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`),
];

/** Namespaces: a dot gets an answer of its own. */
export const labelWithoutDots: NameRule = (name) => (name.includes('.') ? ['must not contain dots'] : dnsLabel(name));

export const dnsSubdomain: NameRule = (name) => [
  ...tooLong(name, 253, 'characters'),
  ...mismatch(name, SUBDOMAIN, `${SUBDOMAIN_RULE} (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`),
];

export const dns1035Label: NameRule = (name) => [
  ...tooLong(name, 63, 'characters'),
  ...mismatch(name, LABEL_1035, `${LABEL_1035_RULE} (e.g. 'my-name',  or 'abc-123', regex used for validation is '${LABEL_1035}')`),
];

/** Roles and their bindings may be named anything that fits a URL path segment. */
export const pathSegment: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((text) => name.includes(text)).map((text) => `may not contain '${text}'`);
};

export const qualifiedName: NameRule = (name) => {
  const parts = name.split('/');
  const last = parts.at(-1) ?? '';
  if (parts.length > 2) {
    return [
      `a valid label key ${QUALIFIED_RULE.replace('name part ', '')} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = parts.length === 2 ? prefixProblems(parts[0] ?? '') : [];
  if (last === '') return [...prefix, 'name part must be non-empty', ...mismatch(last, QUALIFIED, qualifiedMessage)];
  return [
    ...prefix,
    ...tooLong(last, 63, 'bytes').map((problem) => `name part ${problem}`),
    ...mismatch(last, QUALIFIED, qualifiedMessage),
  ];
};

const qualifiedMessage = `${QUALIFIED_RULE} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`;

export const labelValue: NameRule = (value) => [
  ...tooLong(value, 63, 'bytes'),
  ...(value === ''
    ? []
    : mismatch(
        value,
        QUALIFIED,
        `${LABEL_VALUE_RULE} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${QUALIFIED})?')`,
      )),
];

/** Keys of ConfigMaps and Secrets. */
export const configMapKey: NameRule = (key) => {
  const rule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
  const shape = mismatch(key, '[-._a-zA-Z0-9]+', rule);
  if (key === '.' || key === '..') return [...tooLong(key, 253, 'characters'), ...shape, `must not be '${key}'`];
  return [...tooLong(key, 253, 'characters'), ...shape, ...(key.startsWith('..') ? ["must not start with '..'"] : [])];
};

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return dnsSubdomain(prefix).map((problem) => `prefix part ${problem}`);
}

function tooLong(name: string, maxLength: number, unit: 'bytes' | 'characters'): string[] {
  return name.length > maxLength ? [`must be no more than ${maxLength} ${unit}`] : [];
}

function mismatch(name: string, pattern: string, message: string): string[] {
  return new RegExp(`^${pattern}$`).test(name) ? [] : [message];
}
