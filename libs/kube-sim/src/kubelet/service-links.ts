export interface LinkedPort {
  readonly name: string;
  /** As the Service has it. */
  readonly number: number;
  readonly protocol: string;
  /** Where it is reached. */
  readonly host: string;
  readonly reachedAt: number;
}

export interface LinkedService {
  readonly name: string;
  readonly ports: readonly LinkedPort[];
}

/** The variables by which a pod finds a Service of its namespace without DNS, under the names that Kubernetes gives them. */
export function buildServiceLinks({ name, ports }: LinkedService): Record<string, string> {
  const [first] = ports;
  if (!first) return {};
  const prefix = variableName(name);
  const variables: Record<string, string> = {
    [`${prefix}_SERVICE_HOST`]: first.host,
    [`${prefix}_SERVICE_PORT`]: String(first.reachedAt),
    [`${prefix}_PORT`]: urlOf(first),
  };
  for (const port of ports) {
    if (port.name !== '') variables[`${prefix}_SERVICE_PORT_${variableName(port.name)}`] = String(port.reachedAt);
    const link = `${prefix}_PORT_${port.number}_${port.protocol}`;
    variables[link] = urlOf(port);
    variables[`${link}_PROTO`] = port.protocol.toLowerCase();
    variables[`${link}_PORT`] = String(port.reachedAt);
    variables[`${link}_ADDR`] = port.host;
  }
  return variables;
}

export const variableName = (name: string): string => name.toUpperCase().replaceAll('-', '_');

const urlOf = ({ protocol, host, reachedAt }: LinkedPort): string => `${protocol.toLowerCase()}://${host}:${reachedAt}`;
