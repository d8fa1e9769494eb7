import fc from 'fast-check';
import { withoutManagedFields } from './without-managed-fields';

interface Event {
  object?: { metadata?: { managedFields?: unknown } };
}

/** What must come out: the same event, its object's managedFields deleted. */
function expected(text: string): unknown {
  const event = JSON.parse(text) as Event | null;
  const metadata = event?.object?.metadata;
  if (metadata && typeof metadata === 'object' && Array.isArray(metadata.managedFields)) delete metadata.managedFields;
  return event;
}

describe('withoutManagedFields', () => {
  it.each([
    ['first of several fields', '{"type":"ADDED","object":{"metadata":{"managedFields":[{"a":["]"]}],"name":"x"},"spec":{}}}'],
    ['last of several fields', '{"type":"ADDED","object":{"metadata":{"name":"x","managedFields":[{"manager":"k"}]},"spec":{}}}'],
    ['the only field', '{"type":"ADDED","object":{"metadata":{"managedFields":[]}}}'],
    ['with quotes and brackets in its keys', '{"object":{"metadata":{"managedFields":[{"k:{\\"name\\":\\"a]\\"}":{}}],"uid":"1"}}}'],
  ])('drops it when it is %s', (_where, text) => {
    expect(JSON.parse(withoutManagedFields(text))).toEqual(expected(text));
    expect(withoutManagedFields(text)).not.toContain('managedFields');
  });

  it.each([
    ['in the spec', '{"type":"ADDED","object":{"spec":{"managedFields":[1]},"metadata":{"name":"x"}}}'],
    ['in the metadata of something inside', '{"type":"ADDED","object":{"spec":{"template":{"metadata":{"managedFields":[1]}}}}}'],
    ['in a list of metadata', '{"type":"ADDED","object":{"metadata":[{"managedFields":[1]}]}}'],
    ['inside a string', `{"type":"ADDED","object":{"metadata":{"annotations":{"a":${JSON.stringify('{"managedFields":[1]}')}}}}}`],
    ['in something that is no event', '{"metadata":{"managedFields":[1]}}'],
    ['cut off', '{"type":"ADDED","object":{"metadata":{"managedFields":[{"a":1}'],
  ])('leaves alone what has the same name %s', (_where, text) => {
    expect(withoutManagedFields(text)).toBe(text);
  });

  it('changes nothing else, whatever the event holds', () => {
    const key = fc.constantFrom('managedFields', 'metadata', 'object', 'name', 'a"b', 'x\\');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'a') }),
        fc.integer(),
        tie('list'),
        tie('map'),
      ),
      list: fc.array(tie('value'), { maxLength: 3 }),
      map: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    }));
    const event = fc.record({ type: fc.constant('ADDED'), object: fc.record({ metadata: value, spec: value }) });

    fc.assert(
      fc.property(event, (random) => {
        const text = JSON.stringify(random);
        const read = JSON.parse(withoutManagedFields(text)) as Event;

        // Only the first key of that name is looked at, so the true one may stay behind another: the cache's transform takes it.
        if (read.object?.metadata && JSON.stringify(read) === text) return;
        expect(read).toEqual(expected(text));
      }),
      { numRuns: 2_000 },
    );
  });
});
