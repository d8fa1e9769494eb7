import type { Service } from '@elasti/operator-kit';
import { checkTrafficIsSeen, parseTrafficWindow } from './traffic-metadata';
import { InvalidTriggerError } from './trigger-outcome';

const field = 'triggers[1].metadata';

describe('parseTrafficWindow', () => {
  it.each<[unknown, number]>([
    [{ window: '5m' }, 300_000],
    [{ window: '1h30m' }, 5_400_000],
    [{ window: '168h' }, 604_800_000],
    [{ window: '' }, 900_000],
    [{ window: null }, 900_000],
    [{}, 900_000],
    [undefined, 900_000],
    [null, 900_000],
  ])('reads %j, with the cooldown as the default', (metadata, expectedMs) => {
    expect(parseTrafficWindow(metadata, 900, field)).toBe(expectedMs);
  });

  it.each<[unknown, string, RegExp]>([
    [{ window: '5 minutes' }, 'triggers[1].metadata.window', /"5 minutes" is not a duration: .* such as 1h30m/],
    [{ window: '0' }, 'triggers[1].metadata.window', /above zero/],
    [{ window: '-5m' }, 'triggers[1].metadata.window', /above zero/],
    [{ window: '169h' }, 'triggers[1].metadata.window', /at most 168h/],
    [{ window: 5 }, 'triggers[1].metadata.window', /in a string/],
    ['5m', 'triggers[1].metadata', /object/],
    [[], 'triggers[1].metadata', /object/],
  ])('refuses %j, naming the field and the way out', (metadata, named, problem) => {
    const read = () => parseTrafficWindow(metadata, 900, field);

    expect(read).toThrow(InvalidTriggerError);
    expect(read).toThrow(expect.objectContaining({ field: named }) as Error);
    expect(read).toThrow(problem);
  });
});

describe('checkTrafficIsSeen', () => {
  const service = (spec: Service['spec']): Service => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec });

  it('accepts a Service whose every endpoint gets its share', () => {
    const usual = { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster', externalTrafficPolicy: 'Cluster' };

    expect(() => checkTrafficIsSeen(service(usual), 'triggers[0].type')).not.toThrow();
    expect(() => checkTrafficIsSeen(service(undefined), 'triggers[0].type')).not.toThrow();
  });

  it.each([
    [{ sessionAffinity: 'ClientIP' }, /sessionAffinity ClientIP/],
    [{ internalTrafficPolicy: 'Local' }, /internalTrafficPolicy Local/],
    [{ externalTrafficPolicy: 'Local' }, /externalTrafficPolicy Local/],
  ])('refuses a Service that keeps traffic from the resolvers: %j', (spec, problem) => {
    const check = () => checkTrafficIsSeen(service(spec), 'triggers[0].type');

    expect(check).toThrow(problem);
    expect(check).toThrow(/^triggers\[0\]\.type: .*Service web.*use prometheus$/);
  });
});
