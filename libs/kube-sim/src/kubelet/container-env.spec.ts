import { type JsonObject } from '../store';
import { type EnvSources, buildContainerEnv, expandReferences } from './container-env';
import { buildServiceLinks } from './service-links';

const sources: EnvSources = {
  field: (path) => ({ 'metadata.name': 'web-0' })[path],
  keys: (kind, name) => (name === 'settings' ? { colour: kind === 'Secret' ? 'hidden' : 'red' } : undefined),
};

describe('buildContainerEnv', () => {
  it('puts what the container says over its sources, and those over what is given', () => {
    const container: JsonObject = { envFrom: [{ configMapRef: { name: 'settings' } }, { prefix: 'S_', secretRef: { name: 'settings' } }] };
    const given = { colour: 'blue', PORT: '1', HOME: '/' };

    expect(buildContainerEnv(container, given, sources)).toEqual({ colour: 'red', S_colour: 'hidden', PORT: '1', HOME: '/' });
    expect(buildContainerEnv({ ...container, env: [{ name: 'colour' }, { name: 'PORT', value: '2' }] }, given, sources)).toMatchObject({
      colour: '',
      PORT: '2',
    });
  });

  it('refers only to what came before', () => {
    const env = [
      { name: 'FIRST', value: '$(SECOND)' },
      { name: 'SECOND', value: '2' },
      { name: 'THIRD', value: '$(SECOND) $(GIVEN)' },
    ];

    expect(buildContainerEnv({ env }, { GIVEN: 'g' }, sources)).toMatchObject({ FIRST: '$(SECOND)', THIRD: '2 g' });
  });

  it('names everything that is lacking at once', () => {
    const container: JsonObject = {
      envFrom: [{ secretRef: { name: 'gone' } }, { configMapRef: { name: 'gone', optional: true } }],
      env: [
        { name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.mood' } } },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'settings', key: 'size' } } },
        { name: 'C', valueFrom: { secretKeyRef: { name: 'settings', key: 'size', optional: true } } },
        { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      ],
    };

    expect(() => buildContainerEnv(container, {}, sources)).toThrow(
      [
        'envFrom[0]: there is no Secret "gone"',
        'env[0] (A): the field spec.mood cannot be had',
        'env[1] (B): there is no key "size" in the ConfigMap "settings"',
        'env[3] (D): valueFrom.resourceFieldRef is not available',
      ].join('; '),
    );
  });
});

describe('expandReferences', () => {
  it.each([
    ['$(A)-$(B)', '1-$(B)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$1'],
    ['$A ${A} $(A', '$A ${A} $(A'],
    ['$(toString)', '$(toString)'],
  ])('makes of %j %j', (text, expected) => {
    expect(expandReferences(text, { A: '1' })).toBe(expected);
  });
});

describe('buildServiceLinks', () => {
  it('names host and ports as Kubernetes does', () => {
    const port = { protocol: 'TCP', host: '127.96.0.10' };
    const ports = [
      { ...port, name: 'http-web', number: 80, reachedAt: 8088 },
      { ...port, name: '', number: 443, reachedAt: 443 },
    ];

    expect(buildServiceLinks({ name: 'my-web', ports })).toEqual({
      MY_WEB_SERVICE_HOST: '127.96.0.10',
      MY_WEB_SERVICE_PORT: '8088',
      MY_WEB_SERVICE_PORT_HTTP_WEB: '8088',
      MY_WEB_PORT: 'tcp://127.96.0.10:8088',
      MY_WEB_PORT_80_TCP: 'tcp://127.96.0.10:8088',
      MY_WEB_PORT_80_TCP_PROTO: 'tcp',
      MY_WEB_PORT_80_TCP_PORT: '8088',
      MY_WEB_PORT_80_TCP_ADDR: '127.96.0.10',
      MY_WEB_PORT_443_TCP: 'tcp://127.96.0.10:443',
      MY_WEB_PORT_443_TCP_PROTO: 'tcp',
      MY_WEB_PORT_443_TCP_PORT: '443',
      MY_WEB_PORT_443_TCP_ADDR: '127.96.0.10',
    });
  });

  it('has nothing to say of a Service that is reached nowhere', () => {
    expect(buildServiceLinks({ name: 'headless', ports: [] })).toEqual({});
  });
});
