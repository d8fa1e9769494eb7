import { FakeCaches } from '@elasti/operator-kit/testing';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Informers } from '../informer';
import { parseOperatorConfig } from '../operator.config';
import { CrdDirectoryModule } from './crd-directory.module';
import { ElastiDirectory } from './elasti-directory';

describe('CrdDirectoryModule', () => {
  it('reads what the informers see', async () => {
    const caches = new FakeCaches();
    const given = [{ provide: Informers, useValue: new Informers(caches, caches, parseOperatorConfig({})) }];
    @Global()
    @Module({ providers: given, exports: given })
    class Surroundings {}

    const app = await Test.createTestingModule({ imports: [Surroundings, CrdDirectoryModule] }).compile();

    expect(app.get(ElastiDirectory, { strict: false }).list()).toEqual([]);
  });
});
