import { ElastiService } from '@elasti/api';
import { useServer } from './harness';
import { kindOf } from './objects';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const answering = (match: object) => ({ probeResponse: [{ ...match, response: { status: 200 } }] });

describe('the validation rules of ElastiService', () => {
  const server = useServer();
  const elastiServices = server.docs(kindOf(server.group, 'ElastiService', 'v1alpha1'));
  const create = (name: string, spec: object) =>
    elastiServices.create({ metadata: { name }, spec: { service: 'web', scaleTargetRef: target, ...spec } });

  beforeAll(async () => {
    // Under a group of the suite's own: there may be ElastiServices on the cluster.
    const { spec } = ElastiService.crd();
    const names = { ...spec.names, shortNames: [] };
    const crd = { spec: { ...spec, group: server.group, names } };
    await server.installCrd(crd);
  });

  it.each([
    ['a schedule of five fields', { enabledPeriod: { schedule: '0 8 * * 1-5', duration: '8h30m' } }],
    ['a path that is a regular expression', answering({ path: { type: 'RegularExpression', value: '^/(a|b)+$' } })],
    ['a path that would be none, and is compared as it is', answering({ path: { type: 'Exact', value: '/a(b' } })],
  ])('take %s', async (what, spec) => {
    const { code } = await create(what.replaceAll(/[ ,]+/g, '-'), spec);

    expect(code).toBe(201);
  });

  it.each([
    ['a schedule of four fields', { enabledPeriod: { schedule: '0 8 * *' } }, 'spec.enabledPeriod.schedule'],
    ['a duration without a unit', { enabledPeriod: { duration: '8' } }, 'spec.enabledPeriod.duration'],
    ['a duration of nothing', { enabledPeriod: { duration: '0s' } }, 'spec.enabledPeriod.duration'],
    [
      'a path that is no regular expression',
      answering({ path: { type: 'RegularExpression', value: '/a(b' } }),
      'spec.probeResponse[0].path',
    ],
    [
      'a header that is no regular expression',
      answering({ headers: [{ type: 'RegularExpression', name: 'x', value: '[' }] }),
      'spec.probeResponse[0].headers[0]',
    ],
    [
      'a regular expression that only other engines know',
      answering({ queryParams: [{ type: 'RegularExpression', name: 'x', value: '(?=a)b' }] }),
      'spec.probeResponse[0].queryParams[0]',
    ],
  ])('refuse %s, and name the field', async (what, spec, field) => {
    const { code, status } = await create(what.replaceAll(' ', '-'), spec);

    expect(code).toBe(422);
    expect(status.details?.causes?.map((cause) => cause.field)).toContain(field);
  });
});
