import type { AccessQuestion, AccessRule } from './rule-table';
import { RuleTable, refusalText } from './rule-table';

const tableFor = (...rules: AccessRule[]): RuleTable => new RuleTable({ users: [{ name: 'ann', token: 'secret', rules }] });

const asking = (about: Partial<AccessQuestion>): AccessQuestion => ({
  user: 'ann',
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  name: 'p',
  path: '',
  ...about,
});

describe('RuleTable', () => {
  it('lets everyone do everything without a table', () => {
    const table = new RuleTable(undefined);

    expect(table.userOf(undefined)).toBe('system:admin');
    expect(table.isAllowed(asking({ verb: 'delete' }))).toBe(true);
  });

  it('knows users by their token, others as anonymous or not at all', () => {
    const table = tableFor();

    expect(table.userOf('Bearer secret')).toBe('ann');
    expect(table.userOf(undefined)).toBe('system:anonymous');
    expect(table.userOf('Bearer wrong')).toBeUndefined();
  });

  it('allows exactly the verbs and resources of a rule', () => {
    const table = tableFor({ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] });

    expect(table.isAllowed(asking({}))).toBe(true);
    expect(table.isAllowed(asking({ verb: 'delete' }))).toBe(false);
    expect(table.isAllowed(asking({ resource: 'secrets' }))).toBe(false);
    expect(table.isAllowed(asking({ group: 'apps' }))).toBe(false);
  });

  it('keeps a subresource apart from its resource', () => {
    const table = tableFor({ verbs: ['*'], apiGroups: ['apps'], resources: ['deployments/scale'] });

    expect(table.isAllowed(asking({ group: 'apps', resource: 'deployments', subresource: 'scale' }))).toBe(true);
    expect(table.isAllowed(asking({ group: 'apps', resource: 'deployments' }))).toBe(false);
  });

  it('keeps a rule to its namespaces and names', () => {
    const table = tableFor({ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['shop'], resourceNames: ['p'] });

    expect(table.isAllowed(asking({ namespace: 'shop' }))).toBe(true);
    expect(table.isAllowed(asking({ namespace: 'shop', name: 'q' }))).toBe(false);
    expect(table.isAllowed(asking({ namespace: '' }))).toBe(false);
  });

  it('words a refusal as the API does', () => {
    expect(refusalText(asking({ verb: 'list', name: '' }))).toBe(
      'User "ann" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    expect(refusalText(asking({ verb: 'list', namespace: '' }))).toBe(
      'User "ann" cannot list resource "pods" in API group "" at the cluster scope',
    );
  });
});
