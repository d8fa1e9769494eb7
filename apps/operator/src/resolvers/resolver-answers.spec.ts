import type { RehearsalSubject } from '@elasti/api';
import { parseActivityReply, parseRehearsalReply } from './resolver-answers';

const subject: RehearsalSubject = { namespace: 'shop', service: 'web', routes: [{ port: 80, resolverPort: 20_001 }] };
const route = { port: 80, resolverPort: 20_001, listening: true, connects: 'yes' };
const service = { namespace: 'shop', service: 'web', routes: [route] };
const reply = (...services: unknown[]) => JSON.stringify({ services });

describe('parseRehearsalReply', () => {
  it('gives the routes of each subject in the order asked', () => {
    const other = { ...subject, service: 'api' };
    const body = reply(service, { ...service, service: 'api', routes: [{ ...route, listening: false, problem: 'in use' }] });

    const routes = parseRehearsalReply(body, [subject, other]);

    expect(routes).toEqual([[route], [{ ...route, listening: false, problem: 'in use' }]]);
  });

  it.each([
    ['the body must be JSON', '<html>'],
    ['the body must be an object', '[]'],
    ['services must be a list', '{}'],
    ['services must have 1 entries', reply()],
    ['services must have 1 entries', reply(service, service)],
    ['services[0] must be an object', reply(null)],
    ['services[0].namespace must be shop', reply({ ...service, namespace: 'other' })],
    ['services[0].service must be web', reply({ ...service, service: 'other' })],
    ['services[0].routes must be a list', reply({ ...service, routes: {} })],
    ['services[0].routes must have 1 entries', reply({ ...service, routes: [] })],
    ['services[0].routes[0] must be an object', reply({ ...service, routes: ['yes'] })],
    ['services[0].routes[0].port must be 80', reply({ ...service, routes: [{ ...route, port: '80' }] })],
    ['services[0].routes[0].resolverPort must be 20001', reply({ ...service, routes: [{ ...route, resolverPort: 1 }] })],
    ['services[0].routes[0].listening must be', reply({ ...service, routes: [{ ...route, listening: 'true' }] })],
    ['services[0].routes[0].connects must be', reply({ ...service, routes: [{ ...route, connects: true }] })],
    ['services[0].routes[0].problem must be', reply({ ...service, routes: [{ ...route, problem: {} }] })],
  ])('refuses nonsense and names the field: %s', (mistake, body) => {
    const parse = () => parseRehearsalReply(body, [subject]);

    expect(parse).toThrow(mistake);
  });

  it('makes what a resolver says to people short and printable', () => {
    const body = reply({ ...service, routes: [{ ...route, problem: `a\n\u001b[31mb${'c'.repeat(10_000)}` }] });

    const problem = parseRehearsalReply(body, [subject])[0]?.[0]?.problem;

    expect(problem).toMatch(/^a \[31mbc{100,300}$/);
  });
});

describe('parseActivityReply', () => {
  it('gives what each service has seen', () => {
    const seen = { namespace: 'shop', service: 'web', open: 2, lastRequestAgoMs: 0.5 };
    const held = { namespace: 'shop', service: 'api', open: 0 };

    expect(parseActivityReply(reply(seen, held))).toEqual({ services: [seen, held] });
  });

  it('gives for how long the resolver has been counting', () => {
    expect(parseActivityReply('{"services":[],"countedForMs":1500.5}')).toEqual({ services: [], countedForMs: 1_500.5 });
  });

  it.each([
    ['services must be a list', '{"services":{}}'],
    ['services[0] must be an object', reply(1)],
    ['services[0].namespace must be', reply({ service: 'web', open: 0 })],
    ['services[0].service must be', reply({ namespace: 'shop', service: '', open: 0 })],
    ['services[0].open must be', reply({ namespace: 'shop', service: 'web' })],
    ['services[0].open must be', reply({ namespace: 'shop', service: 'web', open: -1 })],
    ['services[0].open must be', reply({ namespace: 'shop', service: 'web', open: '1' })],
    ['services[0].open must be', reply({ namespace: 'shop', service: 'web', open: 0.5 })],
    ['services[0].lastRequestAgoMs must be', reply({ namespace: 'shop', service: 'web', open: 0, lastRequestAgoMs: -1 })],
    ['services[0].lastRequestAgoMs must be', reply({ namespace: 'shop', service: 'web', open: 0, lastRequestAgoMs: null })],
    ['countedForMs must be', '{"services":[],"countedForMs":-1}'],
    ['countedForMs must be', '{"services":[],"countedForMs":"1"}'],
    ['countedForMs must be', '{"services":[],"countedForMs":1e999}'],
    ['services[0].lastRequestAgoMs must be', '{"services":[{"namespace":"shop","service":"web","open":0,"lastRequestAgoMs":1e999}]}'],
  ])('refuses nonsense and names the field: %s', (mistake, body) => {
    const parse = () => parseActivityReply(body);

    expect(parse).toThrow(mistake);
  });
});
