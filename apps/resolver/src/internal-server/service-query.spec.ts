import { HttpProblem } from '@elasti/operator-kit/program';
import { parseServiceQuery } from './service-query';

describe('parseServiceQuery', () => {
  it('reads the service, or that none was named', () => {
    expect(parseServiceQuery('/activity?namespace=shop&service=web')).toEqual({ namespace: 'shop', service: 'web' });
    expect(parseServiceQuery('/activity')).toBeUndefined();
  });

  it.each(['/activity?namespace=shop', '/activity?service=web&namespace='])('refuses half a name: %s', (url) => {
    expect(() => parseServiceQuery(url)).toThrow(HttpProblem);
  });
});
