import { bypassesService, type Ingress, servicesOfIngress, slimIngress } from './ingress';

function anIngress(spec: Ingress['spec'] = {}, annotations: Record<string, string> = {}): Ingress {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { namespace: 'shop', name: 'front', annotations }, spec };
}

const to = (name: string) => ({ backend: { service: { name } } });

describe('servicesOfIngress', () => {
  it('names every Service it sends to, once', () => {
    const rules = [{ http: { paths: [to('web'), to('api')] } }, { http: { paths: [to('web'), {}] } }, {}];

    expect(servicesOfIngress(anIngress({ defaultBackend: { service: { name: 'page' } }, rules }))).toEqual([
      'shop/page',
      'shop/web',
      'shop/api',
    ]);
  });

  it('names none of an empty one', () => {
    expect(servicesOfIngress(anIngress())).toEqual([]);
  });
});

describe('bypassesService', () => {
  it.each<[boolean, string, Ingress]>([
    [true, 'the class nginx', anIngress({ ingressClassName: 'nginx' })],
    [true, 'the former annotation', anIngress({}, { 'kubernetes.io/ingress.class': 'nginx' })],
    [false, 'service-upstream', anIngress({ ingressClassName: 'nginx' }, { 'nginx.ingress.kubernetes.io/service-upstream': 'true' })],
    [false, 'another class', anIngress({ ingressClassName: 'traefik' })],
    [false, 'no class', anIngress()],
  ])('is %s with %s', (expected, _what, ingress) => {
    expect(bypassesService(ingress)).toBe(expected);
  });

  it('is told the same of a slim one', () => {
    const annotations = { 'nginx.ingress.kubernetes.io/service-upstream': 'true', 'nginx.ingress.kubernetes.io/rewrite-target': '/' };
    const slim = slimIngress(anIngress({ ingressClassName: 'nginx' }, annotations));

    expect(bypassesService(slim)).toBe(false);
    expect(slim.metadata.annotations).toEqual({ 'nginx.ingress.kubernetes.io/service-upstream': 'true' });
  });
});
