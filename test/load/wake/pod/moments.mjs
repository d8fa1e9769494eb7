import { namespace, watch } from './kube.mjs';

/** What the API has told of the target, and when: the moments of its present life, and whether it sleeps. */
export class Moments {
  #moments = {};
  #pods = new Map();
  #asleep = false;

  async begin(target, sliceSelector) {
    const label = `app=${target}`;
    await watch(`/apis/apps/v1/namespaces/${namespace}/deployments`, label, ({ spec }, atMs) => {
      if (spec.replicas > 0) this.#note('scaled', atMs);
    });
    await watch(`/api/v1/namespaces/${namespace}/pods`, label, (pod, atMs) => this.#seePod(pod, atMs));
    await watch(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, sliceSelector, ({ endpoints }, atMs) => {
      if (endpoints?.some(({ conditions }) => conditions.ready)) this.#note('ready', atMs);
    });
    await watch(`/apis/elasti.truefoundry.com/v1alpha1/namespaces/${namespace}/elastiservices`, label, ({ status }) => {
      const scaledDown = status?.conditions?.find(({ type }) => type === 'ScaledDown');
      this.#asleep = status?.mode === 'proxy' && scaledDown?.status === 'True';
    });
  }

  /** No pod is left, and the operator says that it sleeps. */
  get asleep() {
    return this.#asleep && this.#pods.size === 0;
  }

  forget() {
    this.#moments = {};
  }

  get all() {
    return this.#moments;
  }

  #seePod({ metadata, status, gone }, atMs) {
    if (gone) return void this.#pods.delete(metadata.uid);
    this.#pods.set(metadata.uid, metadata.name);
    if (metadata.deletionTimestamp) return;
    if (status.conditions?.some(({ type, status: is }) => type === 'PodScheduled' && is === 'True')) this.#note('scheduled', atMs);
    if (status.containerStatuses?.some(({ state }) => state.running)) this.#note('started', atMs);
  }

  #note(moment, atMs) {
    this.#moments[moment] ??= atMs;
  }
}
