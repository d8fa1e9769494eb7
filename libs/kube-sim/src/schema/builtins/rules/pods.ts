import { at, isObject, listAt, objectAt, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { dnsLabel, invalid, notFound, notSupported, required } from '../../validation';
import type { FieldError } from '../../validation';
import { oneOf, portNumber, repeatedNames } from './shared';

export function validatePod(pod: JsonObject): FieldError[] {
  return validatePodSpec(objectAt(pod, 'spec') ?? {}, 'spec');
}

export function validatePodSpec(spec: JsonObject, path: string): FieldError[] {
  const containers = listAt(spec, 'containers').filter(isObject);
  const initContainers = listAt(spec, 'initContainers').filter(isObject);
  const volumes = listAt(spec, 'volumes').filter(isObject);
  const volumeNames = new Set(volumes.map((volume) => textAt(volume, 'name')));
  return [
    ...volumes.flatMap((volume, index) => validateName(volume, `${path}.volumes[${index}]`)),
    ...repeatedNames(volumes, `${path}.volumes`),
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...containers.flatMap((container, index) => validateContainer(container, `${path}.containers[${index}]`, volumeNames)),
    ...repeatedNames(containers, `${path}.containers`),
    ...initContainers.flatMap((container, index) => validateContainer(container, `${path}.initContainers[${index}]`, volumeNames)),
    ...repeatedNames([...containers, ...initContainers], `${path}.initContainers`, containers.length),
    ...oneOf(spec, path, 'restartPolicy', ['Always', 'OnFailure', 'Never']),
    ...oneOf(spec, path, 'dnsPolicy', ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
  ];
}

function validateName(item: JsonObject, path: string): FieldError[] {
  const name = textAt(item, 'name');
  if (name === '') return [required(`${path}.name`)];
  return dnsLabel(name).map((problem) => invalid(`${path}.name`, name, problem));
}

function validateContainer(container: JsonObject, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const image = textAt(container, 'image');
  const padded = image !== image.trim() ? [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')] : [];
  return [
    ...validateName(container, path),
    ...(image === '' ? [required(`${path}.image`)] : padded),
    ...listAt(container, 'ports')
      .filter(isObject)
      .flatMap((port, index) => validatePort(port, `${path}.ports[${index}]`)),
    ...listAt(container, 'env')
      .filter(isObject)
      .flatMap((variable, index) => (textAt(variable, 'name') === '' ? [required(`${path}.env[${index}].name`)] : [])),
    ...listAt(container, 'volumeMounts')
      .filter(isObject)
      .flatMap((mount, index) => validateMount(mount, `${path}.volumeMounts[${index}]`, volumes)),
    ...oneOf(container, path, 'imagePullPolicy', ['Always', 'IfNotPresent', 'Never']),
    ...oneOf(container, path, 'terminationMessagePolicy', ['FallbackToLogsOnError', 'File']),
  ];
}

function validatePort(port: JsonObject, path: string): FieldError[] {
  const number = at(port, 'containerPort');
  const protocol = textAt(port, 'protocol');
  return [
    ...(number === undefined || number === 0 ? [required(`${path}.containerPort`)] : portNumber(number, `${path}.containerPort`)),
    ...(['TCP', 'UDP', 'SCTP'].includes(protocol) ? [] : [notSupported(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP'])]),
  ];
}

function validateMount(mount: JsonObject, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const name = textAt(mount, 'name');
  return [
    ...(name === '' ? [required(`${path}.name`)] : volumes.has(name) ? [] : [notFound(`${path}.name`, name)]),
    ...(textAt(mount, 'mountPath') === '' ? [required(`${path}.mountPath`)] : []),
  ];
}
