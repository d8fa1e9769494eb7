import { BlockList, isIP } from 'node:net';
import type { LoopbackEndpoints } from '../../../network';
import { at, get, isObject, listAt, objectAt, sameJson, textAt } from '../../json';
import type { JsonObject, JsonValue } from '../../json';
import { dnsLabel, duplicate, invalid, notSupported, required, tooMany, validateLabels } from '../../validation';
import type { FieldError } from '../../validation';
import { oneOf, portNumber } from './shared';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateService(service: JsonObject, old?: JsonObject): FieldError[] {
  const spec = objectAt(service, 'spec') ?? {};
  const type = textAt(spec, 'type');
  const ports = listAt(spec, 'ports').filter(isObject);
  const needsPorts = type !== 'ExternalName' && textAt(spec, 'clusterIP') !== 'None';
  return [
    ...(needsPorts && ports.length === 0 ? [required('spec.ports')] : []),
    ...(type === 'ExternalName' && textAt(spec, 'externalName') === '' ? [required('spec.externalName')] : []),
    ...ports.flatMap((port, index) => validateServicePort(port, `spec.ports[${index}]`, ports.length > 1)),
    ...repeatedPorts(ports),
    ...validateLabels(objectAt(spec, 'selector') ?? {}, 'spec.selector'),
    ...oneOf(spec, 'spec', 'sessionAffinity', ['ClientIP', 'None']),
    ...oneOf(spec, 'spec', 'type', ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']),
    ...(old === undefined ? [] : validateClusterIp(spec, objectAt(old, 'spec') ?? {})),
  ];
}

function validateServicePort(port: JsonObject, path: string, needsName: boolean): FieldError[] {
  const name = textAt(port, 'name');
  const protocol = textAt(port, 'protocol');
  const target = get(port, 'targetPort');
  const naming =
    name === '' ? (needsName ? [required(`${path}.name`)] : []) : dnsLabel(name).map((problem) => invalid(`${path}.name`, name, problem));
  return [
    ...naming,
    ...portNumber(get(port, 'port') ?? 0, `${path}.port`),
    ...(protocol === ''
      ? [required(`${path}.protocol`)]
      : PROTOCOLS.includes(protocol)
        ? []
        : [notSupported(`${path}.protocol`, protocol, PROTOCOLS)]),
    ...(typeof target === 'number' ? portNumber(target, `${path}.targetPort`) : []),
  ];
}

function repeatedPorts(ports: readonly JsonObject[]): FieldError[] {
  return ports.flatMap((port, index) => {
    const earlier = ports.slice(0, index);
    const name = textAt(port, 'name');
    const isRepeated = earlier.some((other) => other.port === port.port && other.protocol === port.protocol);
    return [
      ...(name !== '' && earlier.some((other) => other.name === name) ? [duplicate(`spec.ports[${index}].name`, name)] : []),
      ...(isRepeated ? [duplicate(`spec.ports[${index}]`, portKey(port))] : []),
    ];
  });
}

/** The API server shows its internal type here. */
function portKey(port: JsonObject): JsonObject {
  return { Name: '', Protocol: port.protocol ?? '', AppProtocol: null, Port: port.port ?? 0, TargetPort: 0, NodePort: 0 };
}

function validateClusterIp(spec: JsonObject, old: JsonObject): FieldError[] {
  const before = textAt(old, 'clusterIP');
  const after = textAt(spec, 'clusterIP');
  const isFixed = before !== '' && textAt(old, 'type') !== 'ExternalName' && textAt(spec, 'type') !== 'ExternalName';
  if (!isFixed || before === after) return [];
  return [invalid('spec.clusterIPs[0]', [after], 'may not change once set')];
}

export function validateEndpointSlice(slice: JsonObject, old: JsonObject | undefined, loopback: LoopbackEndpoints): FieldError[] {
  const type = textAt(slice, 'addressType');
  const endpoints = listAt(slice, 'endpoints').filter(isObject);
  const ports = listAt(slice, 'ports').filter(isObject);
  const types = ['FQDN', 'IPv4', 'IPv6'];
  const typeErrors = type === '' ? [required('addressType')] : types.includes(type) ? [] : [notSupported('addressType', type, types)];
  return [
    ...typeErrors,
    ...(endpoints.length > 1000 ? [tooMany('endpoints', endpoints.length, 1000)] : []),
    ...endpoints.flatMap((endpoint, index) =>
      validateAddresses(listAt(endpoint, 'addresses'), type, `endpoints[${index}].addresses`, loopback),
    ),
    ...validateSlicePorts(ports),
    ...(old !== undefined && textAt(old, 'addressType') !== type ? [invalid('addressType', type, 'field is immutable')] : []),
  ];
}

function validateAddresses(addresses: readonly JsonValue[], type: string, path: string, loopback: LoopbackEndpoints): FieldError[] {
  if (addresses.length === 0) return [required(path, 'must contain at least 1 address')];
  if (addresses.length > 100) return [tooMany(path, addresses.length, 100)];
  return addresses.flatMap((address, index) => {
    if (typeof address !== 'string') return [];
    if (type === 'FQDN') return [];
    if (isIP(address) === 0)
      return [invalid(`${path}[${index}]`, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
    return [
      ...(`IPv${isIP(address)}` === type ? [] : [invalid(path, address, `must be an ${type} address`)]),
      ...specialAddress(address, loopback).map((problem) => invalid(`${path}[${index}]`, address, problem)),
    ];
  });
}

/** Addresses that mean something else on every node. */
function specialAddress(address: string, loopback: LoopbackEndpoints): string[] {
  return SPECIAL.filter(
    ({ name, list }) => (name !== 'loopback' || loopback === 'refused') && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'),
  ).map(({ problem }) => problem(address));
}

const SPECIAL = [
  { name: 'unspecified', list: blockList('0.0.0.0/32', '::/128'), problem: (address: string) => `may not be unspecified (${address})` },
  { name: 'loopback', list: blockList('127.0.0.0/8', '::1/128'), problem: () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)' },
  {
    name: 'link-local',
    list: blockList('169.254.0.0/16', 'fe80::/10'),
    problem: () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  },
  {
    name: 'link-local multicast',
    list: blockList('224.0.0.0/24', 'ff02::/16'),
    problem: () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  },
] as const;

function blockList(ipv4: string, ipv6: string): BlockList {
  const list = new BlockList();
  for (const [range, family] of [
    [ipv4, 'ipv4'],
    [ipv6, 'ipv6'],
  ] as const) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function validateSlicePorts(ports: readonly JsonObject[]): FieldError[] {
  const names = ports.map((port) => textAt(port, 'name'));
  return ports.flatMap((port, index) => {
    const protocol = textAt(port, 'protocol');
    const name = names[index] ?? '';
    const badName = name === '' ? [] : dnsLabel(name).map((problem) => invalid(`ports[${index}].name`, name, problem));
    return [
      ...(names.indexOf(name) < index ? [duplicate(`ports[${index}].name`, name)] : badName),
      ...(protocol === ''
        ? [required(`ports[${index}].protocol`)]
        : PROTOCOLS.includes(protocol)
          ? []
          : [notSupported(`ports[${index}].protocol`, protocol, PROTOCOLS)]),
    ];
  });
}

export function roleRefIsFixed(object: JsonObject, old?: JsonObject): FieldError[] {
  if (old === undefined || sameJson(at(object, 'roleRef'), at(old, 'roleRef'))) return [];
  const role = objectAt(object, 'roleRef') ?? {};
  const shown = { APIGroup: textAt(role, 'apiGroup'), Kind: textAt(role, 'kind'), Name: textAt(role, 'name') };
  return [invalid('roleRef', shown, 'cannot change roleRef')];
}
