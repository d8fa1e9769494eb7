import { KubeClient } from '@elasti/operator-kit';
import { OperatorKitModule } from '@elasti/operator-kit/nest';
import { FakeClock } from '@elasti/operator-kit/testing';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { register } from 'prom-client';
import { Waker } from '../controller';
import { ElastiDirectory } from '../crd-directory';
import { operatorConfigToken, parseOperatorConfig } from '../operator.config';
import { SharedSecretAuthenticator } from './auth/shared-secret.authenticator';
import { TokenReviewAuthenticator } from './auth/token-review.authenticator';
import { OpenDoor, WakeAuthenticator } from './auth/wake-authenticator';
import { ElastiServerController } from './elasti-server.controller';
import { ElastiServerModule } from './elasti-server.module';

async function setup(env: Record<string, string>) {
  const providers = [
    { provide: operatorConfigToken, useValue: parseOperatorConfig(env) },
    { provide: Waker, useValue: {} },
    { provide: ElastiDirectory, useValue: { list: () => [] } },
  ];
  @Module({ providers, exports: providers })
  class WorldModule {}
  const client = KubeClient.forServer({ server: 'http://127.0.0.1:1' });
  const kit = OperatorKitModule.forRoot({ name: 'operator', client, clock: new FakeClock() });
  return Test.createTestingModule({ imports: [kit, ElastiServerModule.forRoot({ imports: [WorldModule] })] }).compile();
}

describe('ElastiServerModule', () => {
  afterEach(() => register.clear());

  it('finds what it needs in the modules it is given', async () => {
    const module = await setup({});

    expect(module.get(ElastiServerController).crdCache()).toEqual({ services: {} });
  });

  it.each([
    [OpenDoor, {}],
    [TokenReviewAuthenticator, { ELASTI_WAKE_AUTH: 'token-review' }],
    [SharedSecretAuthenticator, { ELASTI_WAKE_AUTH: 'shared-secret', ELASTI_WAKE_SECRET_FILE: '/run/wake' }],
  ])('checks callers by %p when the settings say %p', async (authenticator, env: Record<string, string>) => {
    const module = await setup(env);

    expect(module.get(WakeAuthenticator)).toBeInstanceOf(authenticator);
  });
});
