import { routesLabel } from '@elasti/api';
import {
  type CacheEvent,
  type CacheProvider,
  ConfigMap,
  type Frozen,
  type Logger,
  type ResourceCache,
  type Subscription,
} from '@elasti/operator-kit';
import { parseRouteClaim, type RouteClaim, type RouteIdentity, sameTarget } from './route-claim';

interface Line {
  readonly text: string;
  readonly claim: RouteClaim | undefined;
}

/** `disputed`: two Services claim the port, so it is served for neither. */
export type RouteState = ({ readonly is: 'routed' } & RouteIdentity) | { readonly is: 'disputed' | 'none' };

const none: RouteState = { is: 'none' };
const disputed: RouteState = { is: 'disputed' };

/**
 * Whom each port of the resolver is for, as the operator's ConfigMaps say.
 *
 * A change costs as much as there are lines that changed. The target of a port is the same object until it changes. Lines that say nothing usable are skipped and said once.
 */
export class RouteTable {
  private readonly lines = new Map<string, Map<string, Line>>();
  private readonly claims = new Map<number, Set<RouteClaim>>();
  private readonly states = new Map<number, RouteState>();
  private readonly listeners = new Set<(resolverPort: number) => void>();
  private readonly cache: ResourceCache<ConfigMap>;
  private readonly subscription: Subscription;

  constructor(
    caches: CacheProvider,
    operatorNamespace: string,
    private readonly logger: Logger,
  ) {
    this.cache = caches.acquire(ConfigMap, { namespace: operatorNamespace, labelSelector: `${routesLabel}=true` });
    this.subscription = this.cache.subscribe((event) => this.hear(event));
  }

  stateOf(resolverPort: number): RouteState {
    return this.states.get(resolverPort) ?? none;
  }

  /** The ports that are routed or disputed. */
  ports(): number[] {
    return [...this.states.keys()];
  }

  /** Called with each port whose state changed. */
  watch(listener: (resolverPort: number) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  synced(signal: AbortSignal): Promise<void> {
    return this.subscription.synced(signal);
  }

  close(): void {
    this.subscription.close();
    this.cache.release();
  }

  private hear({ type, object }: CacheEvent<ConfigMap>): void {
    const changed = new Set<number>();
    const name = object.metadata.name ?? '';
    const lines = this.lines.get(name) ?? new Map<string, Line>();
    const data = type === 'deleted' ? {} : (object.data ?? {});
    for (const [key, line] of lines) if (data[key] !== line.text) this.drop(lines, key, line, changed);
    for (const [key, text] of Object.entries(data)) if (!lines.has(key)) this.add(lines, name, key, text, changed);
    if (lines.size > 0) this.lines.set(name, lines);
    else this.lines.delete(name);
    for (const port of changed) this.settle(port);
  }

  private drop(lines: Map<string, Line>, key: string, { claim }: Line, changed: Set<number>): void {
    lines.delete(key);
    if (!claim) return;
    const claims = this.claims.get(claim.resolverPort);
    claims?.delete(claim);
    if (claims?.size === 0) this.claims.delete(claim.resolverPort);
    changed.add(claim.resolverPort);
  }

  private add(lines: Map<string, Line>, configMap: string, key: string, text: string, changed: Set<number>): void {
    const parsed = parseRouteClaim(configMap, key, text);
    if (typeof parsed === 'string') {
      this.logger.warn('route line says nothing usable', { configMap, key, problem: parsed });
      lines.set(key, { text, claim: undefined });
      return;
    }
    lines.set(key, { text, claim: parsed });
    this.claims.set(parsed.resolverPort, (this.claims.get(parsed.resolverPort) ?? new Set()).add(parsed));
    changed.add(parsed.resolverPort);
  }

  private settle(resolverPort: number): void {
    const before = this.stateOf(resolverPort);
    const after = withSameTarget(before, decideRoute(this.claims.get(resolverPort) ?? new Set()));
    if (sameState(before, after)) return;
    if (after.is === 'disputed')
      this.logger.error('two services claim one port of the resolver, neither is served on it', { resolverPort });
    if (after.is === 'none') this.states.delete(resolverPort);
    else this.states.set(resolverPort, after);
    for (const listener of this.listeners) listener(resolverPort);
  }
}

/** A port is served when the one ConfigMap it belongs to says so and no other contradicts. */
function decideRoute(claims: ReadonlySet<Frozen<RouteClaim>>): RouteState {
  const inUse = [...claims].filter(({ use }) => use === 'in use');
  const home = inUse.find(({ place }) => place === 'home');
  if (!home) return none;
  if (inUse.some(({ target }) => !sameTarget(target, home.target))) return disputed;
  const { target, speaksFirst } = home;
  return { is: 'routed', target, ...(speaksFirst && { speaksFirst }) };
}

function withSameTarget(before: RouteState, after: RouteState): RouteState {
  const isSame = before.is === 'routed' && after.is === 'routed' && sameTarget(before.target, after.target);
  return isSame ? { ...after, target: before.target } : after;
}

function sameState(a: RouteState, b: RouteState): boolean {
  if (a.is === 'routed' && b.is === 'routed') return a.target === b.target && a.speaksFirst === b.speaksFirst;
  return a.is === b.is;
}
