import { anElastiService } from '../objects.fixture';
import { asleep, awake, buildConditions, type Facts, scaledDownBy } from './build-conditions';

const fine: Facts = { missingServices: [], warnings: [], resolver: 'available', scaledDown: awake, triggers: 'healthy' };

function conditionsFor(facts: Partial<Facts>): Record<string, { status: string; reason: string; message: string }> {
  const conditions = buildConditions(anElastiService(), { ...fine, ...facts });
  return Object.fromEntries(conditions.map(({ type, ...rest }) => [type, rest]));
}

describe('buildConditions', () => {
  it('says each of the six, of the generation it was judged on', () => {
    const conditions = buildConditions(anElastiService(), fine);

    expect(conditions.map(({ type, status, observedGeneration }) => [type, status, observedGeneration])).toEqual([
      ['Ready', 'True', 1],
      ['ServiceFound', 'True', 1],
      ['TargetFound', 'True', 1],
      ['ResolverAvailable', 'True', 1],
      ['ScaledDown', 'False', 1],
      ['TriggersHealthy', 'True', 1],
    ]);
  });

  it('gives the same words for the same facts', () => {
    expect(buildConditions(anElastiService(), fine)).toEqual(buildConditions(anElastiService(), fine));
  });

  it.each<[string, Partial<Facts>, string, { status: string; reason: string; message?: unknown }]>([
    ['an obstacle', { obstacle: { reason: 'DryRun', message: 'nothing is touched' } }, 'Ready', { status: 'False', reason: 'DryRun' }],
    [
      'a Service that is not there',
      { missingServices: ['web', 'api'] },
      'ServiceFound',
      { status: 'False', reason: 'ServiceNotFound', message: 'there is no Service web, Service api' },
    ],
    ['a Service that is not there', { missingServices: ['web'] }, 'Ready', { status: 'False', reason: 'ServiceNotFound' }],
    [
      'a warning',
      {
        warnings: [
          { reason: 'UdpPorts', message: 'nothing answers on dns' },
          { reason: 'SharedPods', message: 'others lose them' },
        ],
      },
      'ServiceFound',
      { status: 'True', reason: 'UdpPorts', message: 'nothing answers on dns; others lose them' },
    ],
    ['a target that is not there', { targetProblem: 'no such thing' }, 'TargetFound', { status: 'False', reason: 'TargetNotFound' }],
    [
      'a target that is not there',
      { targetProblem: 'no such thing' },
      'Ready',
      { status: 'False', message: 'no such thing', reason: 'TargetNotFound' },
    ],
    [
      'no resolver',
      { resolver: { reason: 'NoReadyResolver', message: 'none' } },
      'ResolverAvailable',
      { status: 'False', reason: 'NoReadyResolver' },
    ],
    ['resolvers nobody asked', { resolver: 'unknown' }, 'ResolverAvailable', { status: 'Unknown', reason: 'NotAsked' }],
    ['sleep', { scaledDown: asleep }, 'ScaledDown', { status: 'True', reason: 'Asleep' }],
    [
      'a person',
      { scaledDown: scaledDownBy('kubectl') },
      'ScaledDown',
      { status: 'True', reason: 'ScaledDownByAnother', message: expect.stringContaining('kubectl') },
    ],
    ['triggers nobody asked', { triggers: 'unknown' }, 'TriggersHealthy', { status: 'Unknown', reason: 'NotAsked' }],
    [
      'a failing trigger',
      { triggers: { problem: 'triggers[0]: refused' } },
      'TriggersHealthy',
      { status: 'False', reason: 'TriggerFailed', message: 'triggers[0]: refused' },
    ],
  ])('says of %s what a person must know', (_what, facts, type, expected) => {
    expect(conditionsFor(facts)[type]).toMatchObject(expected);
  });
});
