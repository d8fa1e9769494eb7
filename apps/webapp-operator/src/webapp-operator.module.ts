import { ControllerBuilder, ControllerManager, Deployment, Service, systemClock } from '@elasti/operator-kit';
import { OperatorKitModule, type OperatorKitModuleOptions } from '@elasti/operator-kit/nest';
import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { WebApp } from './webapp';
import { WebAppReconciler } from './webapp.reconciler';

/** The operator: one controller for WebApps, woken by changes of what they own. */
@Module({ providers: [{ provide: WebAppReconciler, useFactory: () => new WebAppReconciler(systemClock) }] })
export class WebAppOperatorModule implements OnModuleInit {
  constructor(
    private readonly manager: ControllerManager,
    private readonly reconciler: WebAppReconciler,
  ) {}

  static forRoot(options: OperatorKitModuleOptions): DynamicModule {
    return { module: WebAppOperatorModule, imports: [OperatorKitModule.forRoot(options)] };
  }

  onModuleInit(): void {
    ControllerBuilder.for(WebApp).withReconciler(this.reconciler).owns(Deployment).owns(Service).withConcurrency(4).build(this.manager);
  }
}
