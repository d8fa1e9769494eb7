import type { ElastiServiceStatus } from '@elasti/api';
import { Shop } from '../shop.fixture';
import { anElastiService } from '../objects.fixture';
import type { Hand } from './hand.ops';

const slept = (lastScaledUpTime?: string, reason = 'Asleep', lastTransitionTime = '2030-01-01T00:00:00Z'): ElastiServiceStatus => ({
  ...(lastScaledUpTime && { lastScaledUpTime }),
  conditions: [{ type: 'ScaledDown', status: 'True', reason, message: '', lastTransitionTime }],
});
const sleptAt = (time: string) => slept(undefined, 'Asleep', time);
const awake = (lastScaledUpTime?: string): ElastiServiceStatus => ({
  ...(lastScaledUpTime && { lastScaledUpTime }),
  conditions: [{ type: 'ScaledDown', status: 'False', reason: 'Awake', message: '', lastTransitionTime: '2029-12-31T00:00:00Z' }],
});

function setup() {
  const shop = new Shop();
  const { replica, cluster, signal } = shop;
  const since = async (status: ElastiServiceStatus): Promise<Hand> => {
    const web = anElastiService('web', { status });
    return replica.hands.since(web, await replica.target.observe(web, signal), signal);
  };
  return { shop, cluster, replica, since };
}

describe('HandOps', () => {
  it('asks nobody when the target is as the status says', async () => {
    const { cluster, since } = setup();

    await expect(since(awake())).resolves.toEqual({ kind: 'nobody' });

    expect(cluster.calls).toEqual([]);
  });

  it('knows our own wake by its stamp, without a call', async () => {
    const { cluster, since } = setup();

    await expect(since(slept('2030-01-01T00:00:00.500Z'))).resolves.toEqual({ kind: 'ours' });

    expect(cluster.calls).toEqual([]);
  });

  it('knows our own sleep by its field manager', async () => {
    const { shop, since } = setup();
    shop.scaleByHand(0, 'elasti-operator');

    await expect(since(awake('2029-12-01T00:00:00Z'))).resolves.toEqual({ kind: 'ours' });
  });

  it('sees that a sleep of ours was interrupted by a wake', async () => {
    const { shop, since } = setup();
    shop.scaleByHand(0, 'elasti-operator');

    await expect(since(awake('2030-01-01T00:00:00.000Z'))).resolves.toEqual({ kind: 'interrupted' });
  });

  it('names whoever scaled it down', async () => {
    const { shop, since } = setup();
    shop.scaleByHand(0, 'kubectl-scale');

    await expect(since(awake())).resolves.toEqual({ kind: 'other', manager: 'kubectl-scale', did: 'scaled down', times: 1 });
  });

  it('counts how often in a row another brings back what we put to sleep', async () => {
    const { shop, since } = setup();
    shop.scaleByHand(2, 'kube-controller-manager');

    const hands: Hand[] = [];
    for (const hour of ['01', '02', '03']) hands.push(await since(sleptAt(`2030-01-01T${hour}:00:00Z`)));

    expect(hands).toEqual([1, 2, 3].map((times) => ({ kind: 'other', manager: 'kube-controller-manager', did: 'scaled up', times })));
  });

  it('counts one undone sleep once, however often it is looked at before the status tells of it', async () => {
    const { shop, since } = setup();
    shop.scaleByHand(2, 'keda-operator');
    await since(sleptAt('2030-01-01T01:00:00Z'));
    await since(sleptAt('2030-01-01T02:00:00Z'));
    shop.scaleByHand(3, 'keda-operator');

    const hands = [await since(sleptAt('2030-01-01T02:00:00Z')), await since(sleptAt('2030-01-01T02:00:00Z'))];

    expect(hands).toMatchObject([{ times: 2 }, { times: 2 }]);
  });

  it('begins to count anew after a hand of ours', async () => {
    const { shop, since } = setup();
    shop.scaleByHand(2, 'argocd-controller');
    await since(slept());
    await since(slept('2030-01-01T00:00:01Z'));

    await expect(since(sleptAt('2030-01-01T01:00:00Z'))).resolves.toMatchObject({ times: 1 });
  });

  it('does not count someone who brings back what was scaled down by another', async () => {
    const { shop, since } = setup();
    shop.scaleByHand(2, 'kubectl-scale');
    await since(slept(undefined, 'ScaledDownByAnother'));

    await expect(since(slept(undefined, 'ScaledDownByAnother'))).resolves.toMatchObject({ times: 1 });
  });

  it('forgets', async () => {
    const { shop, replica, since } = setup();
    shop.scaleByHand(2, 'argocd-controller');
    await since(slept());

    replica.hands.forget(anElastiService());

    await expect(since(sleptAt('2030-01-01T01:00:00Z'))).resolves.toMatchObject({ times: 1 });
  });
});
