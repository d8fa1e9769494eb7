import type { JsonObject } from '../../json';
import { printFieldError } from '../../validation';
import { decodeBuiltin } from '../decoding';
import { defaultBuiltin } from '../defaults';
import { validateBuiltin } from '.';

// Every answer here was recorded from a Kubernetes 1.36 API server.
const refused: [JsonObject, string[]][] = [
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
        replicas: -1,
      },
    },
    ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } } },
    },
    [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: { selector: {}, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } } },
    },
    ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'c' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    ['spec.template.metadata.labels: Invalid value: {"a":"c"}: `selector` does not match template `labels`'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [] } } },
    },
    ['spec.template.spec.containers: Required value'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a' }] } },
      },
    },
    ['spec.template.spec.containers[0].image: Required value'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'A_b', image: 'x' }] } },
      },
    },
    [
      "spec.template.spec.containers[0].name: Invalid value: \"A_b\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [
              { name: 'a', image: 'a' },
              { name: 'a', image: 'a' },
            ],
          },
        },
      },
    },
    ['spec.template.spec.containers[1].name: Duplicate value: "a"'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }], restartPolicy: 'Never' } },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 70000 }] }] },
        },
      },
    },
    ['spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a', ports: [{}] }] } },
      },
    },
    ['spec.template.spec.containers[0].ports[0].containerPort: Required value'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'a', image: 'a', volumeMounts: [{ name: 'v', mountPath: '/x' }] }] },
        },
      },
    },
    ['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "v"'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a', imagePullPolicy: 'Sometimes' }] } },
      },
    },
    [
      'spec.template.spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'a', image: 'a' }], initContainers: [{ name: 'a', image: 'a' }] },
        },
      },
    },
    ['spec.template.spec.initContainers[0].name: Duplicate value: "a"'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 1, protocol: 'XX' }] }] },
        },
      },
    },
    ['spec.template.spec.containers[0].ports[0].protocol: Unsupported value: "XX": supported values: "SCTP", "TCP", "UDP"'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
        minReadySeconds: -1,
      },
    },
    ['spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }], dnsPolicy: 'x' } },
      },
    },
    [
      'spec.template.spec.dnsPolicy: Unsupported value: "x": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [{ name: 'a', image: 'a' }],
            volumes: [
              { name: 'a', emptyDir: {} },
              { name: 'a', emptyDir: {} },
            ],
          },
        },
      },
    },
    ['spec.template.spec.volumes[1].name: Duplicate value: "a"'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'Web_1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    [
      "metadata.name: Invalid value: \"Web_1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't', namespace: 'default', labels: { 'a b': 'c' } },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    [
      "metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't', namespace: 'default', labels: { a: 'c d' } },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    [
      "metadata.labels: Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't', namespace: 'default', annotations: { 'a b': 'c d' } },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    [
      "metadata.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't', namespace: 'default', labels: { 'x/y/z': 'c' } },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    [
      "metadata.labels: Invalid value: \"x/y/z\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't', namespace: 'default', finalizers: ['nope'] },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    ['metadata.finalizers[0]: Invalid value: "nope": name is neither a standard finalizer name nor is it fully qualified'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't', namespace: 'default', finalizers: ['a/b c'] },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    [
      "metadata.finalizers: Invalid value: \"a/b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't', namespace: 'default', ownerReferences: [{}] },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    [
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name: 't',
        namespace: 'default',
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: '1', controller: true },
          { apiVersion: 'v1', kind: 'Pod', name: 'b', uid: '2', controller: true },
        ],
      },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    [
      'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"a","uid":"1","controller":true},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/b',
    ],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    ['metadata.name: Required value: name or generateName is required'],
  ],
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        namespace: 'default',
        labels: { xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 'y' },
        name: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
    [
      'metadata.labels: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": name part must be no more than 63 bytes',
      'metadata.name: Invalid value: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be no more than 253 characters',
    ],
  ],
  [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 't1', namespace: 'default' }, spec: {} }, ['spec.ports: Required value']],
  [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 't1', namespace: 'default' }, spec: { ports: [{ port: 0 }] } },
    [
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 't1', namespace: 'default' }, spec: { ports: [{ port: 80 }, { port: 81 }] } },
    ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
  ],
  [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        ports: [
          { port: 80, name: 'a' },
          { port: 80, name: 'b' },
        ],
      },
    },
    ['spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}'],
  ],
  [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        ports: [
          { port: 80, name: 'a' },
          { port: 81, name: 'a' },
        ],
      },
    },
    ['spec.ports[1].name: Duplicate value: "a"'],
  ],
  [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 't1', namespace: 'default' }, spec: { type: 'Foo', ports: [{ port: 80 }] } },
    ['spec.type: Unsupported value: "Foo": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"'],
  ],
  [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 't1', namespace: 'default' }, spec: { ports: [{ port: 80, protocol: 'XX' }] } },
    ['spec.ports[0].protocol: Unsupported value: "XX": supported values: "SCTP", "TCP", "UDP"'],
  ],
  [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 't1', namespace: 'default' },
      spec: { ports: [{ port: 80, targetPort: 70000 }] },
    },
    ['spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
  ],
  [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 't1', namespace: 'default' }, spec: { type: 'ExternalName' } },
    ['spec.externalName: Required value'],
  ],
  [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'A', namespace: 'default' }, spec: { ports: [{ port: 80 }] } },
    [
      "metadata.name: Invalid value: \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 't1', namespace: 'default' },
      spec: { sessionAffinity: 'x', ports: [{ port: 1 }] },
    },
    ['spec.sessionAffinity: Unsupported value: "x": supported values: "ClientIP", "None"'],
  ],
  [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 't1', namespace: 'default' }, data: { 'a b': 'x' } },
    [
      "data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ],
  ],
  [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 't1', namespace: 'default' }, data: { '..a': 'x' } },
    ['data[..a]: Invalid value: "..a": must not start with \'..\''],
  ],
  [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 't1', namespace: 'default' }, data: { a: 'x' }, binaryData: { a: 'eA==' } },
    ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  ],
  [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 't1', namespace: 'default' }, data: { 'a/b': 'eA==' } },
    [
      "data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ],
  ],
  [
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 't1', namespace: 'default' },
      spec: { leaseDurationSeconds: 0 },
    },
    ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
  ],
  [
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 't1', namespace: 'default' }, spec: { leaseTransitions: -1 } },
    ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name: 't1', namespace: 'default' } },
    ['addressType: Required value'],
  ],
  [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 't1', namespace: 'default' },
      addressType: 'IPv9',
      endpoints: [],
    },
    ['addressType: Unsupported value: "IPv9": supported values: "FQDN", "IPv4", "IPv6"'],
  ],
  [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 't1', namespace: 'default' },
      addressType: 'IPv4',
      endpoints: [{ addresses: [] }],
    },
    ['endpoints[0].addresses: Required value: must contain at least 1 address'],
  ],
  [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 't1', namespace: 'default' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['x'] }],
    },
    ['endpoints[0].addresses[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 't1', namespace: 'default' },
      addressType: 'IPv6',
      endpoints: [{ addresses: ['1.2.3.4'] }],
    },
    ['endpoints[0].addresses: Invalid value: "1.2.3.4": must be an IPv6 address'],
  ],
  [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 't1', namespace: 'default' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['1.2.3.4'] }],
      ports: [{ port: 1 }, { port: 2 }],
    },
    ['ports[1].name: Duplicate value: ""'],
  ],
  [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 't1', namespace: 'default' },
      addressType: 'IPv4',
      endpoints: [],
      ports: [{ port: 1, protocol: 'X' }],
    },
    ['ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
  ],
  [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a.b' } }, ['metadata.name: Invalid value: "a.b": must not contain dots']],
  [
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 't1', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a/b',
      reportingInstance: 'x',
      action: 'A',
      reason: '',
      type: 'Normal',
      note: 'n',
      regarding: { namespace: 'default', kind: 'Pod', name: 'x' },
    },
    ['reason: Required value'],
  ],
  [
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 't1', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a/b',
      reportingInstance: 'x',
      action: 'A',
      reason: 'R',
      type: 'Odd',
      note: 'n',
      regarding: { namespace: 'default', kind: 'Pod', name: 'x' },
    },
    ['type: Invalid value: "": has invalid value: Odd'],
  ],
  [
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 't1', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a/b',
      reportingInstance: 'x',
      action: '',
      reason: 'R',
      type: 'Normal',
      note: 'n',
      regarding: { namespace: 'default', kind: 'Pod', name: 'x' },
    },
    ['action: Required value'],
  ],
  [
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 't1', namespace: 'default' },
      eventTime: null,
      reportingController: 'a/b',
      reportingInstance: 'x',
      action: 'A',
      reason: 'R',
      type: 'Normal',
      note: 'n',
      regarding: { namespace: 'default', kind: 'Pod', name: 'x' },
    },
    ['eventTime: Required value'],
  ],
  [
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 't1', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a/b',
      reportingInstance: '',
      action: 'A',
      reason: 'R',
      type: 'Normal',
      note: 'n',
      regarding: { namespace: 'default', kind: 'Pod', name: 'x' },
    },
    ['reportingInstance: Required value'],
  ],
  [
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 't1', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: '',
      reportingInstance: 'x',
      action: 'A',
      reason: 'R',
      type: 'Normal',
      note: 'n',
      regarding: { namespace: 'default', kind: 'Pod', name: 'x' },
    },
    [
      'reportingController: Invalid value: "": name part must be non-empty',
      "reportingController: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'reportingController: Required value',
    ],
  ],
  [
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 't1', namespace: 'default' },
      spec: { minReplicas: 5, maxReplicas: 3, scaleTargetRef: { kind: 'a', name: 'b' } },
    },
    [
      'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ],
  ],
  [
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 't1', namespace: 'default' },
      spec: { maxReplicas: 0, scaleTargetRef: { kind: 'a', name: 'b' } },
    },
    [
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ],
  ],
  [
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 't1', namespace: 'default' },
      spec: { minAvailable: 1, maxUnavailable: 1, selector: {} },
    },
    [
      'spec: Invalid value: {"MinAvailable":1,"Selector":{},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
  ],
  [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 't1', namespace: 'default' },
      rules: [{ apiGroups: [''], resources: ['x'] }],
    },
    ['rules[0].verbs: Required value: verbs must contain at least one value'],
  ],
  [
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 't1', namespace: 'default' }, spec: { resources: {} } },
    ['spec.accessModes: Required value: at least 1 access mode is required', 'spec.resources[storage]: Required value'],
  ],
];

const accepted: [JsonObject][] = [
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
  ],
  [{ apiVersion: 'v1', kind: 'Service', metadata: { name: '1abc', namespace: 'default' }, spec: { ports: [{ port: 80 }] } }],
  [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 't1', namespace: 'default' }, spec: { clusterIP: 'None' } }],
  [
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 't1', namespace: 'default' },
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
    },
  ],
  [
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 't1', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'a/b',
      reportingInstance: 'x',
      action: 'A',
      reason: 'R',
      type: 'Normal',
      note: 'n',
      regarding: { namespace: 'default', kind: 'Pod', name: 'x' },
    },
  ],
];

const undecodable: [JsonObject, string][] = [
  [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 't1', namespace: 'default' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
        replicas: 'x',
      },
    },
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 't1', namespace: 'default' }, data: { a: '%' } },
    'illegal base64 data at input byte 0',
  ],
];

const problems = (object: JsonObject, old?: JsonObject): string[] =>
  validateBuiltin(defaultBuiltin(object), old === undefined ? undefined : defaultBuiltin(old))
    .map(printFieldError)
    .sort();

const of = (apiVersion: string, kind: string, rest: JsonObject): JsonObject => ({ apiVersion, kind, metadata: { name: 'a' }, ...rest });

describe('validateBuiltin', () => {
  it.each(refused)('refuses %j as the API server does', (object, expected) => {
    expect(problems(object)).toEqual(expected);
  });

  it.each(accepted)('accepts %j as the API server does', (object) => {
    expect(problems(object)).toEqual([]);
  });

  it('keeps what may not change', () => {
    const workload = (app: string): JsonObject =>
      of('apps/v1', 'Deployment', {
        spec: {
          selector: { matchLabels: { app } },
          template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
        },
      });
    const slice = (addressType: string): JsonObject => of('discovery.k8s.io/v1', 'EndpointSlice', { addressType, endpoints: [] });
    const service = (clusterIP: string): JsonObject => of('v1', 'Service', { spec: { clusterIP, ports: [{ port: 80 }] } });
    const secret = (type: string): JsonObject => of('v1', 'Secret', { type });
    const frozen = (value: string): JsonObject => of('v1', 'ConfigMap', { immutable: true, data: { a: value } });
    const binding = (name: string): JsonObject => of('rbac.authorization.k8s.io/v1', 'RoleBinding', { roleRef: { kind: 'Role', name } });

    expect(problems(workload('b'), workload('a'))).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable',
    ]);
    expect(problems(slice('IPv6'), slice('IPv4'))).toEqual(['addressType: Invalid value: "IPv6": field is immutable']);
    expect(problems(service('10.0.0.2'), service('10.0.0.1'))).toEqual([
      'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
    ]);
    expect(problems(secret('x/y'), secret('Opaque'))).toEqual(['type: Invalid value: "x/y": field is immutable']);
    expect(problems(frozen('2'), frozen('1'))).toEqual(['data: Forbidden: field is immutable when `immutable` is set']);
    expect(problems(binding('b'), binding('a'))).toEqual([
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef',
    ]);
  });

  it('lets no finalizer join an object that is being deleted', () => {
    const leaving = (finalizers: string[]): JsonObject => ({
      ...of('v1', 'ConfigMap', {}),
      metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers },
    });

    expect(problems(leaving(['x/a', 'x/b']), leaving(['x/a']))).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/b"}',
    ]);
  });
});

describe('decodeBuiltin', () => {
  it.each(undecodable)('says of %j what the decoder says', (object, expected) => {
    expect(decodeBuiltin(object).problems).toContain(expected);
  });

  it('names unknown fields and drops them with nulls and what is empty', () => {
    const object = of('apps/v1', 'Deployment', {
      extra: 1,
      spec: {
        replicaz: 1,
        paused: null,
        template: { metadata: { labels: {} }, spec: { containers: [{ name: 'a', args: [], nope: 1 }], volumes: [] } },
      },
    });

    const { object: decoded, unknown } = decodeBuiltin(object);

    expect(unknown).toEqual(['extra', 'spec.replicaz', 'spec.template.spec.containers[0].nope']);
    expect(decoded.spec).toEqual({ template: { metadata: {}, spec: { containers: [{ name: 'a' }] } } });
  });

  it('writes quantities as text', () => {
    const pod = of('v1', 'Pod', { spec: { containers: [{ name: 'a', resources: { limits: { cpu: 2 } } }] } });

    expect(decodeBuiltin(pod).object.spec).toEqual({ containers: [{ name: 'a', resources: { limits: { cpu: '2' } } }] });
  });
});
