import { defaultBuiltin } from '../builtins';
import { textAt, without } from '../json';
import type { JsonObject } from '../json';
import { printFieldError } from '../validation';
import { validateCrd } from './crd-validation';

// Every answer here was recorded from a Kubernetes 1.36 API server. A case is the spec of a definition, and its name beside it.
const refused: [JsonObject, string[]][] = [
  [
    {
      name: 'bars.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    ['metadata.name: Invalid value: "bars.example.com": must be spec.names.plural+"."+spec.group'],
  ],
  [
    {
      name: 'foos.example.com',
      group: '',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    ['metadata.name: Invalid value: "foos.example.com": must be spec.names.plural+"."+spec.group', 'spec.group: Required value'],
  ],
  [
    {
      name: 'foos.nodot',
      group: 'nodot',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    ['spec.group: Invalid value: "nodot": should be a domain with at least one dot'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Odd',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    ['spec.scope: Unsupported value: "Odd": supported values: "Cluster", "Namespaced"'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: '',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    ['spec.scope: Required value'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    [
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'V1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    [
      "spec.version: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.versions[0].name: Invalid value: \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
    ['spec.versions[0].schema.openAPIV3Schema: Required value'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: {} } }],
    },
    ['spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'array', items: { type: 'string' } } } }],
    },
    ['spec.validation.openAPIV3Schema.type: Invalid value: "array": must be object at the root'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: '' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    ['spec.names.kind: Required value', 'spec.names.listKind: Required value', 'spec.names.singular: Required value'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'Foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    [
      'metadata.name: Invalid value: "foos.example.com": must be spec.names.plural+"."+spec.group',
      "spec.names.plural: Invalid value: \"Foos\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'F_oo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    [
      "spec.names.kind: Invalid value: \"F_oo\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.listKind: Invalid value: \"F_ooList\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.names.singular: Invalid value: \"f_oo\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo', listKind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    ['spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo', shortNames: ['A'] },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
    [
      "spec.names.shortNames[0]: Invalid value: \"A\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } } }],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: {} } } } } },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'array' } } } },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].items: Required value: must be specified'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'array', items: {} } } } },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].items.type: Required value: must not be empty for specified array items'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'odd' } } } } },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].type: Unsupported value: "odd": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } } },
            },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', properties: { spec: { type: 'array', items: { type: 'string' }, uniqueItems: true } } },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ type: 'object' }] } },
            },
          },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { a: { type: 'string' } },
                  anyOf: [{ properties: { a: { description: 'x', default: 'y' } } }],
                },
              },
            },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].anyOf[0].properties[a].default: Forbidden: must be undefined to be structural',
      'spec.validation.openAPIV3Schema.properties[spec].anyOf[0].properties[a].description: Forbidden: must be empty to be structural',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { a: { type: 'string' } }, not: { properties: { metadata: {} } } } },
            },
          },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].not.properties[metadata]: Forbidden: must not be specified in a nested context'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'string', pattern: '(' } } } },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'string', pattern: '(?=a)' } } } },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'string', default: 5 } } } },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: "integer":  in body must be of type string: "integer"'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', default: { a: 1 }, properties: { a: { type: 'string' } } } },
            },
          },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].default.a: Invalid value: "integer": a in body must be of type string: "integer"'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', default: { b: 1 }, properties: { a: { type: 'string' } } } },
            },
          },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: {"b":1}: must not have unknown fields'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'integer', minimum: 3, default: 1 } } } },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: 1:  in body should be greater than or equal to 3'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', default: {} } } }],
    },
    ['spec.validation.openAPIV3Schema.default.apiVersion: Required value', 'spec.validation.openAPIV3Schema.default.kind: Required value'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map' } },
            },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'array',
                  items: { type: 'object', properties: { a: { type: 'string' } } },
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['a'],
                },
              },
            },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'array',
                  items: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
                  'x-kubernetes-list-type': 'map',
                  'x-kubernetes-list-map-keys': ['b'],
                },
              },
            },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["b"]: entries must all be names of item properties',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'string', 'x-kubernetes-list-type': 'set' } } } },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-map-keys': ['b'] } },
            },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a' }], properties: { a: { type: 'string' } } },
              },
            },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', 'x-kubernetes-validations': [{ rule: '' }], properties: { a: { type: 'string' } } } },
            },
          },
        },
      ],
    },
    ['spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  'x-kubernetes-validations': [{ rule: 'true', message: 'a\nb' }],
                  properties: { a: { type: 'string' } },
                },
              },
            },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  'x-kubernetes-validations': [{ rule: 'true', messageExpression: '1' }],
                  properties: { a: { type: 'string' } },
                },
              },
            },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].messageExpression: Invalid value: {"Rule":"true","Message":"","MessageExpression":"1","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-embedded-resource': true } } } },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'string', 'x-kubernetes-embedded-resource': true } } } },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      'spec.validation.openAPIV3Schema.properties[spec].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
          },
        },
      ],
    },
    [
      'spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } }, subresources: { scale: {} } }],
    },
    ['spec.subresources.scale.specReplicasPath: Required value', 'spec.subresources.scale.statusReplicasPath: Required value'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
          subresources: { scale: { specReplicasPath: '.foo', statusReplicasPath: '.status.x' } },
        },
      ],
    },
    ['spec.subresources.scale.specReplicasPath: Invalid value: ".foo": should be a json path under .spec'],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } }, additionalPrinterColumns: [{}] },
      ],
    },
    [
      'spec.additionalPrinterColumns[0].JSONPath: Required value',
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
    ],
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
          additionalPrinterColumns: [{ name: 'a', type: 'odd', jsonPath: '.x', format: 'q' }],
        },
      ],
    },
    [
      'spec.additionalPrinterColumns[0].format: Invalid value: "q": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].type: Invalid value: "odd": must be one of boolean,date,integer,number,string',
    ],
  ],
];

const accepted: [JsonObject][] = [
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: false } } } },
        },
      ],
    },
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] } },
            },
          },
        },
      ],
    },
  ],
  [
    {
      name: 'foos.example.com',
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
            },
          },
        },
      ],
    },
  ],
];

function definition(spec: JsonObject): JsonObject {
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: textAt(spec, 'name') } };
  return defaultBuiltin({ ...crd, spec: without(spec, 'name') });
}

function problems(spec: JsonObject, old?: JsonObject): string[] {
  return validateCrd(definition(spec), old).map(printFieldError).sort();
}

function withRule(rule: string): JsonObject {
  const spec = { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-validations': [{ rule }] };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return { ...plain, versions: [{ name: 'v1', served: true, storage: true, schema }] };
}

const plain: JsonObject = {
  name: 'foos.example.com',
  group: 'example.com',
  scope: 'Namespaced',
  names: { plural: 'foos', kind: 'Foo' },
  versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
};

describe('validateCrd', () => {
  it.each(refused)('refuses %j as the API server does', (spec, expected) => {
    expect(problems(spec)).toEqual(expected);
  });

  it.each(accepted)('accepts %j as the API server does', (spec) => {
    expect(problems(spec)).toEqual([]);
  });

  it.each([
    ['self.zz == 1', "undefined field 'zz'"],
    ['self.a == 1', "found no matching overload for '_==_' applied to '(string, int)'"],
    ['self.a ==', 'Unexpected token'],
    ['nope(self.a)', 'nope'],
  ])('finds out before any object comes that the rule %s does not compile', (rule, problem) => {
    const [line = ''] = problems(withRule(rule));

    expect(line).toContain('spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value');
    expect(line).toContain(problem);
  });

  it('keeps group and plural for ever, scope and kind once the definition is established', () => {
    const stored = definition(plain);
    const established = { ...stored, status: { conditions: [{ type: 'Established', status: 'True' }] } };
    const changed = { ...plain, scope: 'Cluster' };

    expect(problems(changed, stored)).toEqual([]);
    expect(problems(changed, established)).toEqual(['spec.scope: Invalid value: "Cluster": field is immutable']);
  });
});
