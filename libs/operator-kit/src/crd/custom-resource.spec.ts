import { CelRules, Condition, CustomResource, Field, InvalidSchemaError, Resource } from '.';
import { definitionOf } from '../client';

class GaugeSpec {
  @Field({ description: 'What is measured', minLength: 1, maxLength: 20 }) name!: string;
  @Field({ type: 'integer', minimum: 0, maximum: 100, default: 1 }) replicas?: number;
  @Field({ type: 'boolean', optional: true }) loud?: boolean;
}

class GaugeStatus {
  @Field({ arrayOf: Condition, listType: 'map', listMapKeys: ['type'], optional: true }) conditions?: Condition[];
}

@CustomResource({
  group: 'test.example.com',
  version: 'v1',
  kind: 'Gauge',
  shortNames: ['ga'],
  categories: ['all'],
  printerColumns: [{ name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' }],
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  validations: [{ rule: "self.metadata.name != 'forbidden'" }],
})
class Gauge extends Resource(GaugeSpec, GaugeStatus) {}

describe('a class decorated with @CustomResource', () => {
  it('is a kind wherever the kit takes one', () => {
    expect(definitionOf(Gauge)).toEqual({ group: 'test.example.com', version: 'v1', kind: 'Gauge', plural: 'gauges', namespaced: true });
  });

  it('makes plain objects of its kind', () => {
    const gauge: Gauge = Gauge.create('outside', { name: 'temperature' }, { namespace: 'shop', labels: { a: 'b' } });

    expect(gauge).toEqual({
      apiVersion: 'test.example.com/v1',
      kind: 'Gauge',
      metadata: { namespace: 'shop', name: 'outside', labels: { a: 'b' } },
      spec: { name: 'temperature' },
    });
    expect(Object.getPrototypeOf(gauge)).toBe(Object.prototype);
  });

  it('describes itself to the API server with everything it was told', () => {
    const { metadata, spec } = Gauge.crd();

    expect(metadata).toEqual({ name: 'gauges.test.example.com' });
    expect(spec.names).toEqual({
      kind: 'Gauge',
      plural: 'gauges',
      singular: 'gauge',
      listKind: 'GaugeList',
      shortNames: ['ga'],
      categories: ['all'],
    });
    expect(spec.versions).toMatchObject([
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        additionalPrinterColumns: [{ name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' }],
        schema: { openAPIV3Schema: { 'x-kubernetes-validations': [{ rule: "self.metadata.name != 'forbidden'" }] } },
      },
    ]);
  });

  it('asks for exactly the fields that are neither optional nor defaulted', () => {
    const schema = Gauge.crd().spec.versions[0]?.schema.openAPIV3Schema;

    expect(schema?.required).toEqual(['spec']);
    expect(schema?.properties?.spec).toEqual({
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', description: 'What is measured', minLength: 1, maxLength: 20 },
        replicas: { type: 'integer', minimum: 0, maximum: 100, default: 1 },
        loud: { type: 'boolean' },
      },
    });
  });

  it('finds each wrong field by the path that the API server would name', () => {
    const condition = { type: 'Ready', status: 'Maybe', reason: '', message: '', lastTransitionTime: 'yesterday' };

    const problems = Gauge.validate({ ...Gauge.create('x', { name: '', replicas: 101 }), status: { conditions: [condition] } });

    expect(problems.map(({ field }) => field)).toEqual([
      'spec.name',
      'spec.replicas',
      'status.conditions[0].status',
      'status.conditions[0].lastTransitionTime',
      'status.conditions[0].reason',
      'status.conditions[0].reason',
    ]);
  });

  it.each([undefined, null, 'text', 5, []])('calls %p no object of its kind', (value) => {
    expect(Gauge.validate(value)).not.toEqual([]);
  });

  it('knows an object of another kind', () => {
    const problems = Gauge.validate({ ...Gauge.create('x', { name: 'a' }), apiVersion: 'test.example.com/v2', kind: 'Meter' });

    expect(problems).toEqual([
      { field: 'apiVersion', message: 'must be test.example.com/v1' },
      { field: 'kind', message: 'must be Gauge' },
    ]);
  });

  it('fills in defaults without touching what it was given', () => {
    const given = Gauge.create('x', { name: 'a' });

    const complete = Gauge.withDefaults(given);

    expect(complete.spec).toEqual({ name: 'a', replicas: 1 });
    expect(complete.metadata).toEqual(given.metadata);
    expect(given.spec).toEqual({ name: 'a' });
  });

  it('carries rules of its classes to the schema', () => {
    @CelRules({ rule: 'self.low <= self.high' })
    class Span {
      @Field({ type: 'integer' }) low!: number;
      @Field({ type: 'integer' }) high!: number;
    }
    class SpanSpec {
      @Field({ type: Span, validations: [{ rule: 'self.low > 0' }] }) span!: Span;
    }
    @CustomResource({ group: 'test.example.com', version: 'v1', kind: 'Spanner' })
    class Spanner extends Resource(SpanSpec) {}

    const version = Spanner.crd().spec.versions[0];

    expect(version?.schema.openAPIV3Schema.properties?.spec?.properties?.span?.['x-kubernetes-validations']).toEqual([
      { rule: 'self.low <= self.high' },
      { rule: 'self.low > 0' },
    ]);
    expect(version?.subresources).toBeUndefined();
  });

  it('inherits the fields of the class it extends', () => {
    class Wide extends GaugeSpec {
      @Field({ type: 'integer' }) width!: number;
    }
    @CustomResource({ group: 'test.example.com', version: 'v1', kind: 'WideGauge' })
    class WideGauge extends Resource(Wide) {}

    const problems = WideGauge.validate({ apiVersion: 'test.example.com/v1', kind: 'WideGauge', metadata: {}, spec: {} });

    expect(problems.map(({ field }) => field).sort()).toEqual(['spec.name', 'spec.width']);
  });
});

describe('several versions', () => {
  const old = { group: 'test.example.com', version: 'v1alpha1', kind: 'Gauge' };

  @CustomResource({ ...old, deprecated: true, deprecationWarning: 'use v1' })
  class OldGauge extends Resource(GaugeSpec) {}

  it('store the one that lists the others', () => {
    @CustomResource({ group: 'test.example.com', version: 'v1', kind: 'Gauge', versions: [{ resource: OldGauge }] })
    class NewGauge extends Resource(GaugeSpec) {}

    expect(NewGauge.crd().spec.versions).toMatchObject([
      { name: 'v1', storage: true },
      { name: 'v1alpha1', storage: false, deprecated: true, deprecationWarning: 'use v1' },
    ]);
  });

  it('store another one when told so', () => {
    @CustomResource({ group: 'test.example.com', version: 'v1', kind: 'Gauge', versions: [{ resource: OldGauge, storage: true }] })
    class NewGauge extends Resource(GaugeSpec) {}

    expect(
      NewGauge.crd()
        .spec.versions.filter(({ storage }) => storage)
        .map(({ name }) => name),
    ).toEqual(['v1alpha1']);
  });

  it.each([
    ['another kind', { group: 'test.example.com', version: 'v1', kind: 'Other' }, 'another kind'],
    ['the same version', old, 'v1alpha1 twice'],
  ])('refuse %s', (_, options, message) => {
    const define = () => {
      @CustomResource({ ...options, versions: [{ resource: OldGauge }] })
      class Wrong extends Resource(GaugeSpec) {}
      return Wrong;
    };

    expect(define).toThrow(message);
    expect(define).toThrow(InvalidSchemaError);
  });
});

describe('names that the API server would refuse', () => {
  it.each([
    [{ group: 'nodots', version: 'v1', kind: 'Gauge' }, 'group nodots'],
    [{ group: 'test.example.com', version: 'V1', kind: 'Gauge' }, 'version V1'],
    [{ group: 'test.example.com', version: 'v1', kind: 'gauge' }, 'kind gauge'],
    [{ group: 'test.example.com', version: 'v1', kind: 'Gauge', plural: 'Gauges' }, 'the name Gauges'],
  ])('are refused while the class is defined: %j', (options, message) => {
    expect(() => {
      CustomResource(options)(class extends Resource(GaugeSpec) {});
    }).toThrow(message);
  });

  it('are asked for where the decorator was forgotten', () => {
    class Forgotten extends Resource(GaugeSpec) {}

    expect(() => Forgotten.definition).toThrow('Forgotten: is not decorated with @CustomResource');
  });
});
