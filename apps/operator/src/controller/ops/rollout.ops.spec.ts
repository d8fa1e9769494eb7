import { Deployment, type ResourceDefinition } from '@elasti/operator-kit';
import type { Workload } from '../../informer';
import { type RolloutHealth, RolloutOps } from './rollout.ops';

const rollout: ResourceDefinition = { group: 'argoproj.io', version: 'v1alpha1', kind: 'Rollout', plural: 'rollouts', namespaced: true };
const inPhase = (phase?: string): Workload => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web' },
  status: { ...(phase !== undefined && { phase }) },
});

describe('RolloutOps', () => {
  it.each<[string | undefined, RolloutHealth]>([
    ['Healthy', 'healthy'],
    ['Progressing', 'moving'],
    ['Paused', 'moving'],
    ['Degraded', 'degraded'],
    ['Invented', 'unknown'],
    [undefined, 'unknown'],
  ])('takes a Rollout in the phase %s for %s', (phase, health) => {
    expect(new RolloutOps().healthOf({ kind: rollout, workload: inPhase(phase) })).toBe(health);
  });

  it.each([Deployment as ResourceDefinition, { ...rollout, group: 'example.com' }])('has nothing to say of other kinds', (kind) => {
    expect(new RolloutOps().healthOf({ kind, workload: inPhase('Progressing') })).toBeUndefined();
  });
});
