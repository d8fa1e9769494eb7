import type { Frozen, Service } from '@elasti/operator-kit';
import { protocolAnnotation } from '../../names';
import type { WantedPort } from '../../routes';
import type { Remark } from './build-conditions';

/** As an `appProtocol`: for a protocol that has no name below. */
const ownName = 'elasti.truefoundry.com/server-first';

/** Registered names of protocols whose server greets before the client has said a word. Those that begin with TLS are none: there the client does. */
const greetingProtocols: ReadonlySet<string> = new Set([
  'ftp',
  'imap',
  'lmtp',
  'mariadb',
  'mysql',
  'nats',
  'nntp',
  'pop3',
  'rfb',
  'rsync',
  'sieve',
  'smtp',
  'ssh',
  'submission',
  'svn',
  'telnet',
  ownName,
]);

const serverFirst = 'tcp-server-first';

type Port = Frozen<NonNullable<NonNullable<Service['spec']>['ports']>[number]>;

export interface TcpPorts {
  readonly ports: readonly WantedPort[];
  /** What the annotation says and nobody can understand. */
  readonly remarks: readonly Remark[];
}

/**
 * The TCP ports of a Service, and on which of them the server speaks first: by the port's `appProtocol`, or by the Service's annotation, which is
 * `tcp-server-first` for all ports or a list such as `25=tcp-server-first,ftp=tcp-server-first` by number or name.
 *
 * An annotation that is wrong anywhere counts as absent: half of it would be as surprising as none.
 */
export function decideTcpPorts({ metadata, spec }: Frozen<Service>): TcpPorts {
  const tcp = (spec?.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  const named = portsInAnnotation(metadata.annotations?.[protocolAnnotation], tcp);
  const greeting = typeof named === 'string' ? new Set<number>() : named;
  const remarks = typeof named === 'string' ? [remarkOn(metadata.name ?? '', named)] : [];
  const isGreeting = ({ port, appProtocol = '' }: Port) => greeting.has(port) || greetingProtocols.has(appProtocol.toLowerCase());
  return { ports: tcp.map((port) => ({ port: port.port, ...(isGreeting(port) && { speaksFirst: 'server' as const }) })), remarks };
}

/** The ports that it means, or what is wrong with it. */
function portsInAnnotation(text: string | undefined, ports: readonly Port[]): ReadonlySet<number> | string {
  const found = new Set<number>();
  if (text === undefined) return found;
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [value = '', key, ...rest] = entry.split('=').reverse();
    if (value !== serverFirst || rest.length > 0) return `"${short(entry)}" is not understood`;
    const meant = key === undefined ? ports : ports.filter(({ port, name }) => String(port) === key || name === key);
    if (meant.length === 0) return `there is no TCP port "${short(key ?? '')}"`;
    for (const { port } of meant) found.add(port);
  }
  return found;
}

function remarkOn(service: string, problem: string): Remark {
  const message = `the annotation ${protocolAnnotation} of ${service} is left out of account: ${problem}; write ${serverFirst} for all ports, or 25=${serverFirst} for one`;
  return { reason: 'ProtocolNotUnderstood', message };
}

/** It goes into a condition, whatever a person wrote. */
function short(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 60);
}
