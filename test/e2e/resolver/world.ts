import { KubeClient } from '@elasti/operator-kit';
import type { ActivityReply } from '@elasti/api';
import { eventually } from '../../eventually';
import { CleanUps } from '../clean-ups';
import { Caller, type HttpResult } from './caller';
import { ElastiInstallation, type ResolverPod } from './installation';
import { Sleepers } from './sleepers';

/** The product on a cluster, services asleep, and somebody to call them. */
export class World {
  /** At most how long its parts wait for each other, one after another: what a hook must allow. */
  static readonly openingMs = ElastiInstallation.installingMs + Caller.startingMs + 30_000;
  static readonly closingMs = Sleepers.leavingMs + ElastiInstallation.uninstallingMs + 60_000;

  private readonly cleanUps = new CleanUps();
  readonly began = new Date();
  client!: KubeClient;
  elasti!: ElastiInstallation;
  sleepers!: Sleepers;
  caller!: Caller;

  async open(): Promise<void> {
    this.client = await KubeClient.fromKubeConfig();
    this.cleanUps.add(() => this.client.close());
    this.cleanUps.add(() => ElastiInstallation.uninstall());
    this.elasti = await ElastiInstallation.install(this.client);
    this.sleepers = await Sleepers.open(this.client, `sleepers-${Date.now().toString(36)}`);
    this.cleanUps.add(() => this.sleepers.remove());
    this.caller = await Caller.start(this.sleepers.namespace);
    this.cleanUps.add(() => this.caller.stop());
    this.cleanUps.add(() => this.sleepers.giveBack(this.caller));
  }

  /** To be done before anything of this is taken down. */
  beforeClosing(cleanUp: () => Promise<void>): void {
    this.cleanUps.add(cleanUp);
  }

  close(): Promise<void> {
    return this.cleanUps.run();
  }

  askResolver({ ip }: ResolverPod, path: string): Promise<HttpResult> {
    return this.caller.request({ host: ip, port: 8013 }, { path });
  }

  /** Waits until these resolvers together have so much open for a service, held or under way; says how much each has. */
  async untilOpen(service: string, count: number, resolvers: readonly ResolverPod[]): Promise<number[]> {
    const query = `/activity?namespace=${this.sleepers.namespace}&service=${service}`;
    const openAt = async (resolver: ResolverPod) => {
      const { body } = await this.askResolver(resolver, query);
      return (JSON.parse(body) as ActivityReply).services[0]?.open ?? 0;
    };
    return eventually(`${count} open for ${service}`, async () => {
      const open = await Promise.all(resolvers.map(openAt));
      return open.reduce((sum, one) => sum + one, 0) >= count ? open : undefined;
    });
  }
}
