import { builtinSchema } from '../schema';
import { ApiError } from './api.errors';
import { decodeTyped } from './typed-decoding';

const decodeDeployment = (object: Parameters<typeof decodeTyped>[2]): ReturnType<typeof decodeTyped> =>
  decodeTyped('Deployment', 'v1', object, builtinSchema('apps', 'v1', 'Deployment'));

describe('decodeTyped', () => {
  it('leaves out what the type does not have and names it', () => {
    const { object, unknownFields } = decodeDeployment({
      spec: { replicas: 1, nope: 2, template: { spec: { containers: [{ name: 'c', oops: 1 }] } } },
    });

    expect(object).toEqual({ spec: { replicas: 1, template: { spec: { containers: [{ name: 'c' }] } } } });
    expect(unknownFields).toEqual(['spec.nope', 'spec.template.spec.containers[0].oops']);
  });

  it('takes null as not set', () => {
    expect(decodeDeployment({ spec: { replicas: null } }).object).toEqual({ spec: {} });
  });

  it('keeps labels of any name', () => {
    expect(decodeDeployment({ metadata: { labels: { 'any/name': 'x' } } }).unknownFields).toEqual([]);
  });

  it('refuses a value of another type by its path', () => {
    const decode = (): unknown => decodeDeployment({ spec: { replicas: 'two' } });

    expect(decode).toThrow(ApiError);
    expect(decode).toThrow('cannot unmarshal string into Go struct field Deployment.spec.replicas of type int32');
  });
});
