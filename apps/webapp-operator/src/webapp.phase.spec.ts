import type { Deployment, Service } from '@elasti/operator-kit';
import { WebApp } from './webapp';
import { decidePhase, type Observed } from './webapp.phase';
import { buildDeployment, buildService } from './webapp.resources';

const anApp = (metadata = {}) => WebApp.create('web', { image: 'web:1', replicas: 3, port: 80 }, { namespace: 'shop', ...metadata });
const aService = (): Service => buildService(anApp());

function aDeployment(available: number, spec: Partial<Deployment['spec']> = {}): Deployment {
  const deployment = buildDeployment(anApp());
  if (!deployment.spec) throw new Error('a Deployment has a spec');
  return {
    ...deployment,
    spec: { ...deployment.spec, ...spec },
    status: { replicas: 3, updatedReplicas: 3, availableReplicas: available },
  };
}

describe('decidePhase', () => {
  it.each<[string, Observed, string]>([
    ['nothing exists yet', {}, 'Created'],
    ['only the Deployment exists', { deployment: aDeployment(0) }, 'Reconciling'],
    ['only the Service exists', { service: aService() }, 'Reconciling'],
    ['the Deployment has another number of replicas', { deployment: aDeployment(3, { replicas: 1 }), service: aService() }, 'Reconciling'],
    ['no pod is available', { deployment: aDeployment(0), service: aService() }, 'WaitingForPods'],
    ['some pods are available', { deployment: aDeployment(2), service: aService() }, 'Scaling'],
    ['all pods are available', { deployment: aDeployment(3), service: aService() }, 'Ready'],
    ['there are pods too many', { deployment: aDeployment(4), service: aService() }, 'Scaling'],
  ])('when %s', (_when, observed, phase) => {
    expect(decidePhase(anApp(), observed)).toBe(phase);
  });

  it('is Deleting once deletion is asked for, whatever is there', () => {
    const leaving = anApp({ deletionTimestamp: '2030-01-01T00:00:00Z' });

    expect(decidePhase(leaving, { deployment: aDeployment(3), service: aService() })).toBe('Deleting');
    expect(decidePhase(leaving, {})).toBe('Deleting');
  });

  it('is Ready with no pods when none are asked for', () => {
    const resting = WebApp.create('web', { image: 'web:1', replicas: 0, port: 80 });
    const deployment = { ...buildDeployment(resting), status: {} };

    expect(decidePhase(resting, { deployment, service: buildService(resting) })).toBe('Ready');
  });

  it('does not believe a report about what the Deployment said before', () => {
    const deployment = aDeployment(3);
    deployment.metadata = { ...deployment.metadata, generation: 2 };
    deployment.status = { ...deployment.status, observedGeneration: 1 };

    expect(decidePhase(anApp(), { deployment, service: aService() })).toBe('Scaling');
  });

  it('waits for the pods of the new image when the image has changed', () => {
    const deployment = aDeployment(3);
    deployment.status = { replicas: 4, updatedReplicas: 1, availableReplicas: 3 };

    expect(decidePhase(anApp(), { deployment, service: aService() })).toBe('Scaling');
  });
});
