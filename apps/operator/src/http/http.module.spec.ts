import { KubeClient } from '@elasti/operator-kit';
import { OperatorKitModule } from '@elasti/operator-kit/nest';
import { FakeClock } from '@elasti/operator-kit/testing';
import { Test } from '@nestjs/testing';
import { register } from 'prom-client';
import { HttpListeners } from './http-listeners';
import { HttpModule } from './http.module';

describe('HttpModule', () => {
  afterEach(() => register.clear());

  it('provides listeners that open nothing until they are asked to', async () => {
    const client = KubeClient.forServer({ server: 'http://127.0.0.1:1' });
    const kit = OperatorKitModule.forRoot({ name: 'operator', client, clock: new FakeClock() });
    const module = await Test.createTestingModule({ imports: [kit, HttpModule] }).compile();

    const listeners = module.get(HttpListeners);

    await expect(listeners.onApplicationShutdown()).resolves.toBeUndefined();
  });
});
