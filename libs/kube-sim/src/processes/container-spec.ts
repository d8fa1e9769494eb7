import { ContainerConfigError, type PodToRun, expandReferences } from '../kubelet';
import { type JsonObject, asArray, asObject, asString } from '../store';

export interface ContainerPort {
  readonly name: string;
  readonly number: number;
}

/** What of a pod a process is made of: its first container. */
export class ContainerSpec {
  private readonly container: JsonObject;

  /** @throws ContainerConfigError for what a process cannot be made of. */
  constructor({ spec }: PodToRun) {
    this.container = asObject(asArray(spec.containers)[0]);
    if (this.words('command').length === 0)
      throw new ContainerConfigError(
        'containers[0].command: missing; a pod that is a process has no image to take its command from: write the command into the pod',
      );
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      if (asObject(this.container[probe]).grpc !== undefined)
        throw new ContainerConfigError(
          `containers[0].${probe}.grpc: not available for pods that are processes: use httpGet, tcpSocket or exec`,
        );
  }

  get ports(): ContainerPort[] {
    return asArray(this.container.ports)
      .map(asObject)
      .flatMap(({ name, containerPort }) => (typeof containerPort === 'number' ? [{ name: asString(name), number: containerPort }] : []));
  }

  get workingDir(): string {
    return asString(this.container.workingDir);
  }

  get preStop(): JsonObject {
    return asObject(asObject(this.container.lifecycle).preStop);
  }

  get stopSignal(): NodeJS.Signals {
    return (asString(asObject(this.container.lifecycle).stopSignal) || 'SIGTERM') as NodeJS.Signals;
  }

  commandIn(env: Readonly<Record<string, string>>): string[] {
    return [...this.words('command'), ...this.words('args')].map((word) => expandReferences(word, env));
  }

  probe(kind: 'startupProbe' | 'readinessProbe' | 'livenessProbe'): JsonObject | undefined {
    return this.container[kind] === undefined ? undefined : asObject(this.container[kind]);
  }

  /** The number of a port that a probe or a hook names. @throws ContainerConfigError for a name that no port has. */
  portNumber(port: unknown): number {
    if (typeof port === 'number') return port;
    const found = this.ports.find(({ name }) => name === port);
    if (!found) throw new ContainerConfigError(`containers[0].ports: none is named ${JSON.stringify(port)}, as a probe or a hook asks`);
    return found.number;
  }

  private words(field: 'command' | 'args'): string[] {
    return asArray(this.container[field]).map(asString);
  }
}
