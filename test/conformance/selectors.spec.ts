import { ConfigMap, Pod, Secret } from '@elasti/operator-kit';
import { useServer } from './harness';
import { aPod } from './objects';

describe('selectors', () => {
  const server = useServer();
  const secrets = server.of(Secret);
  const pods = server.of(Pod);

  beforeAll(async () => {
    await secrets.given({ metadata: { name: 'red-1', labels: { colour: 'red', size: '1' } } });
    await secrets.given({ metadata: { name: 'red-5', labels: { colour: 'red', size: '5', tall: '' } } });
    await secrets.given({ metadata: { name: 'blue', labels: { colour: 'blue', 'example.com/owner': 'me' } } });
    await secrets.given({ metadata: { name: 'none' }, type: 'example.com/kind' });
    await pods.given(aPod('placed', { nodeName: 'no-such-node' }));
    await pods.given(aPod('waiting'));
  });

  it.each([
    ['an equality', 'colour=red', ['red-1', 'red-5']],
    ['an equality written twice', 'colour==blue', ['blue']],
    ['an inequality, which absence satisfies too', 'colour!=red', ['blue', 'none']],
    ['a set', 'colour in (blue, green)', ['blue']],
    ['the outside of a set, with those that have no such label', 'colour notin (blue, green)', ['none', 'red-1', 'red-5']],
    ['the presence of a label', 'tall', ['red-5']],
    ['the absence of a label', '!colour', ['none']],
    ['several requirements at once', 'colour=red,!tall,size in (1,5)', ['red-1']],
    ['a number that is greater', 'size>1', ['red-5']],
    ['a number that is less', 'size<5', ['red-1']],
    ['a key with a prefix', 'example.com/owner=me', ['blue']],
    ['an empty value', 'tall=', ['red-5']],
  ])('selects labels by %s', async (_how, labelSelector, expected) => {
    const names = await secrets.names({ labelSelector });

    expect(names).toEqual(expected);
  });

  it.each(['colour=(red', 'colour in red', '=red', 'size>big', 'colour=not ok'])('refuses the label selector %p', async (labelSelector) => {
    const { code, status } = await secrets.list({ labelSelector });

    expect(code).toBe(400);
    expect(status).toMatchObject({ status: 'Failure', reason: 'BadRequest' });
  });

  it('selects by the name as a field', async () => {
    expect(await secrets.names({ fieldSelector: 'metadata.name=blue' })).toEqual(['blue']);
  });

  it('selects by the name that a field is not', async () => {
    expect(await secrets.names({ fieldSelector: 'metadata.name!=blue' })).toEqual(['none', 'red-1', 'red-5']);
  });

  it('selects by the namespace as a field', async () => {
    expect(await secrets.in().names({ fieldSelector: `metadata.namespace=${server.namespace}` })).toHaveLength(4);
  });

  it('selects secrets by their type', async () => {
    expect(await secrets.names({ fieldSelector: 'type=example.com/kind' })).toEqual(['none']);
  });

  it('selects pods by their node', async () => {
    expect(await pods.names({ fieldSelector: 'spec.nodeName=no-such-node' })).toEqual(['placed']);
  });

  it('selects pods by their phase', async () => {
    expect(await pods.names({ fieldSelector: 'status.phase=Pending,spec.nodeName=' })).toEqual(['waiting']);
  });

  it('joins field and label selectors', async () => {
    expect(await secrets.names({ fieldSelector: 'metadata.name!=red-1', labelSelector: 'colour=red' })).toEqual(['red-5']);
  });

  it('refuses a field that cannot be selected by', async () => {
    const { code, status } = await server.of(ConfigMap).list({ fieldSelector: 'data.key=value' });

    expect(code).toBe(400);
    expect(status).toMatchObject({ reason: 'BadRequest', message: expect.stringContaining('"data.key"') });
  });

  it('refuses a field selector that is no requirement', async () => {
    const { code } = await secrets.list({ fieldSelector: 'metadata.name' });

    expect(code).toBe(400);
  });
});
