import { privateServiceName, proxySliceName, standbySliceName } from './child-names';

describe('the names of children', () => {
  it('are the ones that KubeElasti gives', () => {
    expect(privateServiceName('target-service')).toBe('elasti-target-service-pvt-b7f26a24b2');
    expect(proxySliceName('target-service', 'IPv4')).toBe('elasti-target-service-endpointslice-to-resolver-b7f26a24b2');
  });

  it('tell the families and the roles apart', () => {
    const names = [
      proxySliceName('web', 'IPv4'),
      proxySliceName('web', 'IPv6'),
      standbySliceName('web', 'IPv4'),
      standbySliceName('web', 'IPv6'),
    ];

    expect(new Set(names).size).toBe(4);
  });

  it('fit the limits of Kubernetes for the longest Service name, and stay apart', () => {
    const [long, longer] = ['a'.repeat(63), `${'a'.repeat(62)}b`];

    expect(privateServiceName(long)).toMatch(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
    expect(privateServiceName(long)).not.toBe(privateServiceName(longer));
    expect(proxySliceName(long, 'IPv6').length).toBeLessThanOrEqual(253);
  });

  it('have no dash before a dash where a shortened name ends in one', () => {
    expect(privateServiceName(`${'a'.repeat(40)}-${'b'.repeat(20)}`)).not.toContain('--');
  });
});
