import { parseOperatorConfig } from '../../apps/operator/src/operator.config';
import { parseResolverConfig } from '../../apps/resolver/src/resolver.config';
import { fixedVariables, operatorVariables, resolverVariables } from './variables';

type Read = (env: Readonly<Record<string, string>>) => unknown;

/** The names that a program asks its environment for, in every mode of the wake calls. */
function namesReadBy(read: Read): string[] {
  const names = new Set<string>();
  for (const mode of ['off', 'token-review', 'shared-secret']) {
    const given: Record<string, string> = {
      ELASTI_WAKE_AUTH: mode,
      ELASTI_WAKE_SECRET_FILE: '/secret',
      SENTRY_DSN: 'https://key@sentry.example/1',
    };
    const env = new Proxy(given, {
      get: (values, name: string) => {
        names.add(name);
        return values[name];
      },
    });
    read(env);
  }
  return [...names];
}

const cases: [string, Read, Readonly<Record<string, string>>, string[]][] = [
  ['operator', parseOperatorConfig, operatorVariables, []],
  [
    'resolver',
    parseResolverConfig,
    resolverVariables,
    [
      'CRD_CACHE_POLL_INTERVAL_MINUTES',
      'ELASTI_RESOLVER_NAMESPACE',
      'ELASTI_SERVICE_QUEUE_MEBIBYTES',
      'ELASTI_SERVICE_QUEUE_SIZE',
      'INITIAL_CAPACITY',
      'QUEUE_RETRY_DURATION',
      'TRAFFIC_DISABLE_GRACE_DURATION',
      'TRAFFIC_RE_ENABLE_DURATION',
    ],
  ],
];

describe('the variables of the programs', () => {
  it.each(cases)('of the %s are set by settings or fixed, but for those that `env` may set', (_program, read, variables, free) => {
    const known = { ...variables, ...fixedVariables };

    expect(
      namesReadBy(read)
        .filter((name) => !Object.hasOwn(known, name))
        .sort(),
    ).toEqual(free);
  });

  it.each(cases)('that are fixed are what the %s takes by itself', (_program, read) => {
    const words = ['ELASTI_BIND_ADDRESS', 'ELASTI_OPERATOR_ORIGIN'];
    const values = Object.fromEntries(Object.entries(fixedVariables).filter(([name]) => !words.includes(name)));
    const tokens = { ELASTI_WAKE_AUTH: 'token-review' };

    expect(read({ ...values, ...tokens })).toEqual(read(tokens));
  });
});
