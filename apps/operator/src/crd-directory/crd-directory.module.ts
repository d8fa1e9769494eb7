import { Module } from '@nestjs/common';
import { Informers } from '../informer';
import { ElastiDirectory } from './elasti-directory';

/** Which ElastiService speaks for a Service: on every replica, from the watch. Needs InformerModule. */
@Module({
  providers: [{ provide: ElastiDirectory, inject: [Informers], useFactory: (informers: Informers) => new ElastiDirectory(informers) }],
  exports: [ElastiDirectory],
})
export class CrdDirectoryModule {}
