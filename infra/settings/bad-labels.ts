import type { Settings } from './settings';

type Words = Readonly<Record<string, string>>;

const name = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const prefix = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Labels and annotations that the API server would refuse, one by one, when the manifests are applied. */
export function badLabels({ labels, annotations, operator, resolver, network: { scrapers }, monitoring }: Settings): string[] {
  const labelled: Readonly<Record<string, Words>> = {
    labels,
    'operator.podLabels': operator.podLabels,
    'operator.nodeSelector': operator.nodeSelector,
    'resolver.podLabels': resolver.podLabels,
    'resolver.nodeSelector': resolver.nodeSelector,
    'network.scrapers.namespaceLabels': scrapers.namespaceLabels,
    'network.scrapers.podLabels': scrapers.podLabels,
    'monitoring.labels': monitoring.labels,
    'monitoring.dashboardLabels': monitoring.dashboardLabels,
  };
  const annotated: Readonly<Record<string, Words>> = {
    annotations,
    'operator.podAnnotations': operator.podAnnotations,
    'operator.serviceAccountAnnotations': operator.serviceAccountAnnotations,
    'resolver.podAnnotations': resolver.podAnnotations,
    'resolver.serviceAccountAnnotations': resolver.serviceAccountAnnotations,
  };
  return [
    ...Object.entries({ ...labelled, ...annotated }).flatMap(([field, words]) => badKeys(field, words)),
    ...Object.entries(labelled).flatMap(([field, words]) => badValues(field, words)),
  ];
}

function badKeys(field: string, words: Words): string[] {
  return Object.keys(words)
    .filter((key) => !isQualifiedName(key))
    .map((key) => `${field}.${key} is no key: use at most 63 letters, digits, -, _ and ., and before them a domain and / if you like`);
}

function badValues(field: string, words: Words): string[] {
  return Object.entries(words)
    .filter(([, value]) => value !== '' && !name.test(value))
    .map(([key]) => `${field}.${key} must be at most 63 letters, digits, -, _ and ., with a letter or digit at both ends`);
}

/** At most 63 letters, digits and a few signs, with or without a domain and `/` before them. */
export function isQualifiedName(key: string): boolean {
  const parts = key.split('/');
  const [domain, own = ''] = parts.length === 1 ? [undefined, key] : parts;
  return parts.length <= 2 && name.test(own) && (domain === undefined || prefix.test(domain));
}
