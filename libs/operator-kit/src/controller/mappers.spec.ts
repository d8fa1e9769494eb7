import { Deployment } from '../client';
import type { OwnerReference, ResourceDefinition } from '../client';
import { FakeHost, settle } from '../testing';
import { aWidget, Widget } from './controller.fixture';
import { ControllerBuilder } from './controller-builder';
import { ownerMapper } from './mappers';
import { done } from './reconciler';

const noCache = () => {
  throw new Error('no cache is needed');
};
const owner = (name: string, overrides: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  name,
  uid: `uid-${name}`,
  controller: true,
  ...overrides,
});
const aDeployment = (...ownerReferences: OwnerReference[]): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'shop', name: 'web', uid: 'uid-web', ownerReferences },
});

describe('ownerMapper', () => {
  it('Owner mapping matches group and kind whatever the version', () => {
    const toOwner = ownerMapper(Widget, 'controller');

    expect(toOwner(aDeployment(owner('a', { apiVersion: 'example.com/v1beta7' })), noCache)).toEqual([{ namespace: 'shop', name: 'a' }]);
    expect(toOwner(aDeployment(owner('a', { apiVersion: 'other.com/v1' })), noCache)).toEqual([]);
    expect(toOwner(aDeployment(owner('a', { apiVersion: 'v1' })), noCache)).toEqual([]);
    expect(toOwner(aDeployment(owner('a', { kind: 'Gadget' })), noCache)).toEqual([]);
  });

  it('controller-only option', () => {
    const deployment = aDeployment(owner('controls'), owner('owns', { controller: false }), owner('owns-too', { controller: undefined }));

    expect(ownerMapper(Widget, 'controller')(deployment, noCache).map(({ name }) => name)).toEqual(['controls']);
    expect(ownerMapper(Widget, 'any')(deployment, noCache).map(({ name }) => name)).toEqual(['controls', 'owns', 'owns-too']);
  });

  it('names a cluster-scoped owner without a namespace', () => {
    const ClusterWidget: ResourceDefinition = { ...Widget, namespaced: false };

    expect(ownerMapper(ClusterWidget, 'controller')(aDeployment(owner('a')), noCache)).toEqual([{ name: 'a' }]);
  });
});

describe('owns()', () => {
  async function ownedChanges(...states: Deployment[]): Promise<string[]> {
    const host = new FakeHost();
    const [widgets, deployments] = [host.caches.of(Widget), host.caches.of(Deployment)];
    const calls: string[] = [];
    const reconcile = async (widget: { readonly metadata: { readonly name?: string } }) => {
      calls.push(widget.metadata.name ?? '');
      return done;
    };
    const controller = ControllerBuilder.for(Widget).withReconciler({ reconcile }).owns(Deployment).build(host);
    ['a', 'b', 'c'].forEach((name) => widgets.put(aWidget(name)));
    widgets.sync();
    deployments.sync();
    void controller.run(new AbortController().signal);
    await settle();

    for (const state of states) {
      calls.length = 0;
      deployments.put(state);
      await settle();
    }
    return calls;
  }

  it('old and new owners both enqueued on update', async () => {
    expect(await ownedChanges(aDeployment(owner('a')), aDeployment(owner('b')))).toEqual(['a', 'b']);
  });

  it('reconciles an owner once for one change', async () => {
    expect(await ownedChanges(aDeployment(owner('a')), aDeployment(owner('a')))).toEqual(['a']);
  });
});
