import { ConfigMap, Secret, Service } from '@elasti/operator-kit';
import type { Pod } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { eventually } from './eventually';
import { useServer } from './harness';
import { RunningPods, programPod } from './running-pods';

jest.setTimeout(180_000);

const within = { deadlineMs: 90_000 };
const once = { restartPolicy: 'Never' };

describe('pods that run', () => {
  const server = useServer('run');
  const running = new RunningPods(server);
  const { pods } = running;

  const containerOf = ({ status }: Pod) => status?.containerStatuses?.[0];

  /** Waits until a pod is as expected. */
  async function until(name: string, check: (pod: Pod) => void): Promise<Pod> {
    return eventually(async () => {
      const body = succeeded(await pods.get(name));
      check(body);
      return body;
    }, within);
  }

  const ended = (name: string, phase: 'Succeeded' | 'Failed') =>
    until(name, ({ status }) => {
      expect(status?.phase).toBe(phase);
    });

  const log = (name: string, query: Record<string, string | number | boolean> = {}) =>
    server.wire.call<string>('GET', `${pods.path(name)}/log`, { query });

  it('have the environment that their pod, ConfigMaps, Secrets and Services give them', async () => {
    await server.of(ConfigMap).given({ metadata: { name: 'settings' }, data: { COLOUR: 'red', SIZE: '3' } });
    await server.of(Secret).given({ metadata: { name: 'keys' }, stringData: { door: 'open' } });
    const service = succeeded(
      await server.of(Service).create({ metadata: { name: 'my-db' }, spec: { ports: [{ name: 'sql', port: 5432 }] } }),
    );
    const host = service.spec?.clusterIP ?? '';
    const env = [
      { name: 'DOOR', valueFrom: { secretKeyRef: { name: 'keys', key: 'door' } } },
      { name: 'MAYBE', valueFrom: { configMapKeyRef: { name: 'none', key: 'k', optional: true } } },
      { name: 'WHO', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'APP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: 'URL', value: 'pg://$(MY_DB_SERVICE_HOST):$(MY_DB_SERVICE_PORT)/$(UNKNOWN)/$$(WHO)' },
    ];
    const names = ['SET_COLOUR', 'SET_SIZE', 'DOOR', 'MAYBE', 'WHO', 'APP', 'URL', 'HOSTNAME', 'MY_DB_SERVICE_PORT_SQL', 'MY_DB_PORT'];
    const code = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name]).concat(process.argv.slice(1))))`;

    // A service link is there for pods that start after the node has heard of the Service.
    const told = await eventually(async () => {
      await pods.delete('env', { gracePeriodSeconds: 0 });
      const container = { envFrom: [{ prefix: 'SET_', configMapRef: { name: 'settings' } }], env, args: ['$(WHO)', '$(UNKNOWN)'] };
      await pods.given(programPod('env', code, container, once));
      await ended('env', 'Succeeded');
      const { body } = await log('env');
      expect(JSON.stringify(body)).toContain(host);
      return body;
    }, within);

    expect(told).toEqual([
      ...['red', '3', 'open', null, 'env', 'env', `pg://${host}:5432/$(UNKNOWN)/$(WHO)`, 'env', '5432', `tcp://${host}:5432`],
      ...['env', '$(UNKNOWN)'],
    ]);
  });

  it('say what they lack', async () => {
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'no-such', key: 'k' } } }];
    await pods.given(programPod('lacking', '', { env }));

    await until('lacking', (pod) => {
      expect(containerOf(pod)?.state?.waiting?.reason).toBe('CreateContainerConfigError');
    });
  });

  it('end with what their program ends with', async () => {
    await pods.given(programPod('good', '', {}, once));
    await pods.given(programPod('bad', 'console.log("no such table"); process.exit(3)', {}, once));

    const [good, bad] = [await ended('good', 'Succeeded'), await ended('bad', 'Failed')];

    expect(containerOf(good)?.state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(containerOf(bad)?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error', message: 'no such table\n' });
  });

  it('are started again, and wait longer each time', async () => {
    await pods.given(programPod('crashing', 'console.log("life"); process.exit(7)'));

    const pod = await until('crashing', (seen) => {
      expect(containerOf(seen)?.state?.waiting?.reason).toBe('CrashLoopBackOff');
      expect(containerOf(seen)?.restartCount).toBeGreaterThan(0);
    });

    expect(containerOf(pod)?.lastState?.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
    expect(pod.status?.phase).toBe('Running');
  });

  it('are started again when their liveness probe fails', async () => {
    const livenessProbe = {
      exec: { command: ['node', '-e', 'process.exit(1)'] },
      periodSeconds: 1,
      timeoutSeconds: 10,
      failureThreshold: 1,
    };
    await pods.given(programPod('dying', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)', { livenessProbe }));

    const pod = await until('dying', (seen) => {
      expect(containerOf(seen)?.restartCount).toBeGreaterThan(0);
    });

    expect(containerOf(pod)?.lastState?.terminated?.reason).toBe('Error');
  });

  it('are ready only after their startup probe has passed', async () => {
    const startupProbe = {
      exec: { command: ['node', '-e', 'process.exit(1)'] },
      periodSeconds: 1,
      timeoutSeconds: 10,
      failureThreshold: 100,
    };
    await pods.given(programPod('slow', 'console.log("runs"); setInterval(() => {}, 1000)', { startupProbe }));
    await eventually(async () => {
      expect((await log('slow')).body).toBe('runs\n');
    }, within);

    const pod = await until('slow', (seen) => {
      expect(containerOf(seen)?.state?.running).toBeDefined();
    });

    expect(containerOf(pod)?.ready).toBe(false);
  });

  it('get a signal, after their hook, and are gone when they have ended', async () => {
    const code = `process.on('SIGTERM', () => { console.log('ending'); process.exit(); }); setInterval(() => {}, 1000); console.log('runs')`;
    await pods.given(programPod('polite', code, {}, { terminationGracePeriodSeconds: 600 }));
    await eventually(async () => {
      expect((await log('polite')).body).toBe('runs\n');
    }, within);

    await pods.delete('polite');

    await eventually(async () => {
      expect((await pods.get('polite')).code).toBe(404);
    }, within);
  });

  it('can be read, from the end and of the container before', async () => {
    await pods.given(programPod('writing', 'console.log("one"); console.error("two"); console.log("three"); process.exit(1)'));

    // It is started again and again, and each life begins with an empty log: these are read in the pause between two of them.
    await eventually(async () => {
      const [whole, tail, none, before] = [
        await log('writing'),
        await log('writing', { tailLines: 1 }),
        await log('writing', { tailLines: 0 }),
        await log('writing', { previous: true, container: 'main' }),
      ];

      expect([whole.code, whole.body.split('\n').sort()]).toEqual([200, ['', 'one', 'three', 'two']]);
      expect([tail.body.split('\n').length, none.body]).toEqual([2, '']);
      expect([before.code, before.body.split('\n').sort()]).toEqual([200, ['', 'one', 'three', 'two']]);
      expect(whole.contentType).toBe('text/plain');
    }, within);
  });

  it('say why there is nothing to be read', async () => {
    await pods.given(programPod('fresh', 'setInterval(() => {}, 1000)'));
    await until('fresh', (seen) => {
      expect(containerOf(seen)?.state?.running).toBeDefined();
    });

    const answers = [await log('no-such'), await log('fresh', { container: 'side' }), await log('fresh', { previous: true })];

    expect(answers.map(({ code, status: { reason, message } }) => [code, reason, message])).toEqual([
      [404, 'NotFound', 'pods "no-such" not found'],
      [400, 'BadRequest', 'container side is not valid for pod fresh'],
      [400, 'BadRequest', 'previous terminated container "main" in pod "fresh" not found'],
    ]);
  });
});
