import { type ClusterAccess, type ElastiServiceView, ForbiddenError } from './cluster-access';
import type { Installed, Manifest } from './installed-objects';

export interface UninstallOptions {
  /** How long targets may take to come back, and then the objects to go. */
  readonly timeoutSeconds: number;
  readonly mode: 'for real' | 'dry run';
}

/** What time is to an uninstallation: it waits between two looks. */
export interface Pauses {
  now(): number;
  pause(delayMs: number): Promise<void>;
}

/** Nothing was removed that somebody sleeping needs; the message says what to do. */
export class UninstallError extends Error {
  override readonly name = 'UninstallError';
}

const lookAgainMs = 2_000;
/** Said in full: of hundreds, the first ones tell enough. */
const namedAtMost = 20;

/**
 * Removes an installation so that no target stays asleep: first all ElastiServices, whose finalizer brings their targets back, and only when the last
 * of them is gone and their targets have ready pods, the operator and all else. May be repeated after a failure.
 */
export class Uninstaller {
  constructor(
    private readonly cluster: ClusterAccess,
    private readonly pauses: Pauses,
    private readonly say: (line: string) => void,
  ) {}

  /** @throws UninstallError when targets do not come back; then nothing but ElastiServices was deleted */
  async uninstall(installed: Installed, { timeoutSeconds, mode }: UninstallOptions): Promise<void> {
    if (mode === 'dry run') return this.tell(installed);
    await this.giveBackAll(installed, timeoutSeconds);
    this.say('stopping operator and resolvers, which may have requests to finish');
    await this.cluster.stop(installed.programs, timeoutSeconds);
    this.say(`removing ${installed.objects.length} objects`);
    await this.cluster.remove(installed.objects, timeoutSeconds);
    for (const one of installed.shared) await this.removeShared(one, timeoutSeconds);
    await this.removeCrds(installed, timeoutSeconds);
    this.say('Elasti is uninstalled');
  }

  private async tell(installed: Installed): Promise<void> {
    const services = await this.cluster.elastiServices(installed.namespaces);
    this.say(`would delete ${services.length} ElastiServices, of which ${asleep(services)} sleep, and wait for their targets`);
    for (const one of [...installed.programs, ...installed.objects, ...installed.shared, ...installed.crds]) {
      this.say(`would delete ${formatKind(one)}${one.kind === 'Namespace' ? ', if nothing else is in it' : ''}`);
    }
  }

  private async giveBackAll(installed: Installed, timeoutSeconds: number): Promise<void> {
    const deadlineMs = this.pauses.now() + timeoutSeconds * 1_000;
    const seen = new Map<string, ElastiServiceView>();
    let said: number | undefined;
    for (;;) {
      const left = await this.cluster.elastiServices(installed.namespaces);
      if (left.length === 0) return this.awaitTargets([...seen.values()], deadlineMs, timeoutSeconds);
      await this.demandOperator(installed, left);
      for (const service of left.filter(mayHaveSlept)) seen.set(formatName(service.metadata), service);
      if (left.length !== said) this.say(`${left.length} ElastiServices are left, of which ${asleep(left)} sleep`);
      said = left.length;
      if (this.pauses.now() >= deadlineMs) {
        const words = await this.stateOf(left);
        throw notBack(left.length, words, `within ${timeoutSeconds} s, `, 'See to their pods and uninstall again.');
      }

      // Also those that somebody has applied meanwhile.
      await this.cluster.deleteElastiServices(left.filter(({ metadata }) => metadata.deletionTimestamp === undefined));
      await this.pauses.pause(lookAgainMs);
    }
  }

  /** An ElastiService may be gone without its target being back: the operator gives up at some time, and a finalizer can be removed by hand. */
  private async awaitTargets(services: readonly ElastiServiceView[], deadlineMs: number, timeoutSeconds: number): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      const targets = await this.cluster.targetsOf(services);
      const missing = services.filter((_, index) => targets[index]?.state !== 'back');
      if (missing.length === 0) return;
      const isOver = this.pauses.now() >= deadlineMs;
      if (isOver || targets.some(({ state }) => state === 'at zero')) {
        const advice =
          'Their ElastiServices are gone, so nobody brings them back: scale or mend them. Then uninstall again, which goes on.';
        throw notBack(missing.length, await this.stateOf(missing), isOver ? `within ${timeoutSeconds} s, ` : '', advice);
      }
      if (isFirst) this.say(`all ElastiServices are gone; waiting for ${missing.length} targets`);
      await this.pauses.pause(lookAgainMs);
    }
  }

  private async demandOperator(installed: Installed, left: readonly ElastiServiceView[]): Promise<void> {
    if ((await this.cluster.readyOperators(installed)) > 0) return;
    const { namespace, name } = installed.operator;
    throw new UninstallError(
      `${left.length} ElastiServices are left and no operator is ready to bring their targets back. ` +
        `See why: kubectl get deployment ${name} -n ${namespace}; install it again if it is gone. Then uninstall again.`,
    );
  }

  private async stateOf(services: readonly ElastiServiceView[]): Promise<string[]> {
    const named = services.slice(0, namedAtMost);
    const targets = await this.cluster.targetsOf(named);
    return named.map(({ metadata }, index) => `  ${formatName(metadata)}: ${targets[index]?.words}`);
  }

  /** With a namespace goes all that is in it, whoever has put it there. */
  private async removeShared(object: Manifest, timeoutSeconds: number): Promise<void> {
    await this.orStays(`${formatKind(object)} stays: you may not delete it`, async () => {
      const others = object.kind === 'Namespace' ? await this.cluster.workloadsIn(object.metadata.name) : [];
      const [first, ...more] = others;
      if (first === undefined) return this.cluster.remove([object], timeoutSeconds);
      const and = more.length > 0 ? ` and ${more.length} more are` : ' is';
      this.say(`${formatKind(object)} stays: ${first}${and} in it`);
    });
  }

  private async removeCrds({ crds }: Installed, timeoutSeconds: number): Promise<void> {
    if (crds.length === 0) return;
    await this.orStays('the CRD stays: you may not delete it, or not see who else needs it', async () => {
      const others = await this.cluster.elastiServices([]);
      if (others.length === 0) return this.cluster.remove(crds, timeoutSeconds);
      this.say(`the CRD stays: ${others.length} ElastiServices of other installations need it`);
    });
  }

  private async orStays(words: string, removal: () => Promise<void>): Promise<void> {
    try {
      await removal();
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      this.say(words);
    }
  }
}

function notBack(count: number, words: readonly string[], when: string, advice: string): UninstallError {
  const more = count > words.length ? [`  and ${count - words.length} more`] : [];
  const head = `${count} targets did not come back ${when}and nothing else was removed:`;
  return new UninstallError([head, ...words, ...more, advice].join('\n'));
}

/** A dry run has never put its target to sleep, unless it began while that slept. */
function mayHaveSlept({ spec, status }: ElastiServiceView): boolean {
  return spec.mode !== 'DryRun' || status?.mode === 'proxy';
}

function asleep(services: readonly ElastiServiceView[]): number {
  return services.filter(({ status }) => status?.mode === 'proxy').length;
}

function formatKind({ kind, metadata }: Manifest): string {
  return `${kind} ${formatName(metadata)}`;
}

function formatName({ namespace, name }: Manifest['metadata']): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
