import {
  type Clock,
  Deployment,
  done,
  ensure,
  type Frozen,
  NotFoundError,
  patchStatus,
  type ReconcileContext,
  type Reconciler,
  type ReconcileResult,
  refOf,
  requeueAfter,
  Service,
  setCondition,
  setControllerReference,
} from '@elasti/operator-kit';
import { WebApp, type WebAppStatus } from './webapp';
import { decidePhase, type Observed, type Phase } from './webapp.phase';
import { buildDeployment, buildService } from './webapp.resources';

const fieldManager = 'webapp-operator';
const recheckMs = 30_000;

/**
 * Keeps a Deployment and a Service of the same name in step with each WebApp.
 *
 * The status says what was observed when the reconcile began; what the writes lead to is observed, by watch, in the next one.
 */
export class WebAppReconciler implements Reconciler<WebApp> {
  constructor(private readonly clock: Clock) {}

  async reconcile(app: Frozen<WebApp>, context: ReconcileContext): Promise<ReconcileResult> {
    const observed = observe(app, context);
    const { client, events, signal } = context;

    const deployment = setControllerReference(app, WebApp, buildDeployment(app));
    const service = setControllerReference(app, WebApp, buildService(app));
    const outcomes = [
      await ensure(client, Deployment, deployment, { live: observed.deployment, fieldManager, signal }),
      await ensure(client, Service, service, { live: observed.service, fieldManager, signal }),
    ];
    if (outcomes.includes('applied')) events.emit({ type: 'Normal', reason: 'Applied', note: 'wrote the Deployment and the Service' });

    await this.report(app, observed, context);
    return requeueAfter(recheckMs, 'look again, in case a watch missed something');
  }

  /** The Service goes first, so that no request is sent to pods that are about to end; the garbage collector takes the Deployment. */
  async finalize(app: Frozen<WebApp>, context: ReconcileContext): Promise<ReconcileResult> {
    await this.report(app, observe(app, context), context);
    const [service] = context.cache(Service).getOwnedBy(app.metadata.uid ?? '');
    if (!service) return done;

    await context.client.delete(Service, refOf(service), { signal: context.signal }).catch(ignoreNotFound);
    return requeueAfter(1_000, 'the Service is on its way out');
  }

  private async report(app: Frozen<WebApp>, observed: Observed, { client, events, signal }: ReconcileContext): Promise<void> {
    const phase = decidePhase(app, observed);
    if (phase === 'Ready' && app.status?.phase !== 'Ready')
      events.emit({ type: 'Normal', reason: 'Ready', note: 'all pods are available' });

    const observedGeneration = app.metadata.generation;
    const ready = { type: 'Ready', status: phase === 'Ready' ? 'True' : 'False', reason: phase, message: messages[phase] } as const;
    const status: WebAppStatus = {
      phase,
      availableReplicas: observed.deployment?.status?.availableReplicas ?? 0,
      observedGeneration,
      conditions: setCondition(app.status?.conditions, { ...ready, observedGeneration }, new Date(this.clock.now()).toISOString()),
    };
    await patchStatus(client, WebApp, app, status, { signal });
  }
}

const messages: Record<Phase, string> = {
  Created: 'nothing has been made yet',
  Reconciling: 'the Deployment or the Service is being written',
  WaitingForPods: 'no pod is available yet',
  Ready: 'all pods are available',
  Scaling: 'some pods are available, not yet as many as asked for',
  Deleting: 'the Service goes first, then the pods',
};

function observe(app: Frozen<WebApp>, context: ReconcileContext): Observed {
  const ref = refOf(app);
  return { deployment: context.cache(Deployment).get(ref), service: context.cache(Service).get(ref) };
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}
