import { ElastiService, type Trigger } from '@elasti/api';
import { formatRef, type ObjectRef, type Service } from '@elasti/operator-kit';
import type { PrometheusTrigger } from './prometheus-trigger';
import { TriggerError, type TriggerOutcome } from './trigger-outcome';
import { TriggerReader } from './trigger-reader';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const prometheus = (query = 'q'): Trigger => ({
  type: 'prometheus',
  metadata: { serverAddress: 'http://prometheus:9090', query, threshold: '1' },
});
const traffic = (window?: string): Trigger => ({ type: 'traffic', metadata: { window } });

function setup({ outcomes = [], services = { 'shop/web': {} } }: { outcomes?: TriggerOutcome[]; services?: Record<string, object> } = {}) {
  const asked: PrometheusTrigger[] = [];
  const lister = {
    get: (ref: ObjectRef): Service | undefined => {
      const spec = services[formatRef(ref)];
      return spec && { apiVersion: 'v1', kind: 'Service', metadata: { ...ref }, spec };
    },
  };
  const round = {
    evaluate: (trigger: PrometheusTrigger) => {
      asked.push(trigger);
      return Promise.resolve(outcomes[asked.length - 1] ?? 'idle');
    },
  };
  const read = (triggers: Trigger[], spec: Partial<ElastiService['spec']> = {}) => {
    const elastiService = ElastiService.create('web', { service: 'web', scaleTargetRef: target, triggers, ...spec }, { namespace: 'shop' });
    return new TriggerReader(lister, {}).read(elastiService, round);
  };
  return { asked, read };
}

const problem = (message: RegExp) => ({ error: expect.objectContaining({ message: expect.stringMatching(message) }) });

describe('TriggerReader', () => {
  it('gives one outcome for each trigger, in the order of the spec', async () => {
    const failed: TriggerOutcome = { error: new TriggerError('timeout', 'no answer') };
    const { read } = setup({ outcomes: ['busy', failed] });

    await expect(read([prometheus(), traffic('5m'), prometheus()])).resolves.toEqual({
      outcomes: ['busy', 'idle', failed],
      silenceMs: 300_000,
    });
  });

  it.each<[string, Trigger[], number]>([
    ['nobody asks for it', [prometheus()], 0],
    ['there is one window', [traffic('5m')], 300_000],
    ['no window is said', [traffic()], 900_000],
    ['there are several windows', [traffic('5m'), traffic('7m'), traffic('6m'), prometheus()], 420_000],
  ])('asks for the longest silence when %s', async (_when, triggers, silenceMs) => {
    await expect(setup().read(triggers)).resolves.toMatchObject({ silenceMs });
  });

  it.each<[string, Trigger, RegExp]>([
    ['window', traffic('soon'), /^triggers\[1\]\.metadata\.window: /],
    ['query', { type: 'prometheus', metadata: { threshold: '1' } }, /^triggers\[1\]\.metadata\.query: /],
    ['metadata', { type: 'prometheus' }, /^triggers\[1\]\.metadata: /],
    ['type', { type: 'cron' as 'traffic' }, /^triggers\[1\]\.type: must be one of prometheus, traffic$/],
  ])('takes a bad %s for an error that names its place, and asks nobody for it', async (_what, trigger, message) => {
    const { read, asked } = setup();

    await expect(read([prometheus(), trigger])).resolves.toEqual({ outcomes: ['idle', problem(message)], silenceMs: 0 });
    expect(asked).toHaveLength(1);
  });

  it.each([[{ sessionAffinity: 'ClientIP' }], [{ internalTrafficPolicy: 'Local' }], [{ externalTrafficPolicy: 'Local' }]])(
    'does not trust the silence of resolvers that a Service of %j keeps traffic from',
    async (spec) => {
      const own = setup({ services: { 'shop/web': spec } });
      const further = setup({ services: { 'shop/web': {}, 'shop/api': spec } });

      await expect(own.read([traffic()])).resolves.toMatchObject({ outcomes: [problem(/Service web/)] });
      await expect(further.read([traffic()], { additionalServices: ['api'] })).resolves.toMatchObject({
        outcomes: [problem(/Service api/)],
      });
    },
  );

  it('does not trust the silence about a Service that is not there', async () => {
    const { read } = setup({ services: { 'other/web': {} } });

    await expect(read([traffic()])).resolves.toMatchObject({ outcomes: [problem(/Service web, which is not there/)] });
  });

  it('does not claim that traffic was silent in a dry run, where no resolver looks', async () => {
    await expect(setup().read([traffic()], { mode: 'DryRun' })).resolves.toMatchObject({ outcomes: [problem(/dry run/)] });
  });

  it('passes on that the round was aborted', async () => {
    const round = { evaluate: () => Promise.reject(new Error('stopping')) };
    const elastiService = ElastiService.create('web', { service: 'web', scaleTargetRef: target, triggers: [prometheus()] });

    await expect(new TriggerReader({ get: () => undefined }, {}).read(elastiService, round)).rejects.toThrow('stopping');
  });
});
