import { formatTarget, formatTargetName, targetKindOf } from './target-ref';

const ref = (kind: string, apiVersion = 'apps/v1') => ({ apiVersion, kind, name: 'web' });

describe('a reference to a target', () => {
  it.each([
    ['deployments', 'Deployment'],
    ['rollouts', 'Rollout'],
    ['StatefulSet', 'StatefulSet'],
    ['constructor', 'constructor'],
  ])('to %s is to a %s', (kind, expected) => {
    expect(targetKindOf({ kind })).toBe(expected);
  });

  it('is the same for every version and spelling of one workload', () => {
    const formats = [ref('deployments'), ref('Deployment'), ref('Deployment', 'apps/v1beta1')].map((one) => formatTarget('shop', one));

    expect(new Set(formats)).toEqual(new Set(['shop/apps/Deployment/web']));
  });

  it.each([
    ['another namespace', formatTarget('blog', ref('Deployment'))],
    ['another group', formatTarget('shop', ref('Deployment', 'example.com/v1'))],
    ['another kind', formatTarget('shop', ref('StatefulSet'))],
  ])('is another one in %s', (_what, other) => {
    expect(other).not.toBe(formatTarget('shop', ref('Deployment')));
  });

  it('is read by people as kind and name', () => {
    expect(formatTargetName({ spec: { scaleTargetRef: ref('deployments') } })).toBe('Deployment-web');
  });
});
