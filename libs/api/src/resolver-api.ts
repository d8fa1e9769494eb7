// What the operator asks of each resolver pod, on its internal port: POST /rehearse and GET /activity.

/** One Service whose traffic a resolver may be asked to take. */
export interface RehearsalSubject {
  readonly namespace: string;
  readonly service: string;
  readonly routes: readonly { readonly port: number; readonly resolverPort: number }[];
}

/** At most this many subjects in one call. */
export const maxRehearsalSubjects = 500;

export interface RehearsalRequest {
  readonly services: readonly RehearsalSubject[];
}

export interface RouteRehearsal {
  readonly port: number;
  readonly resolverPort: number;
  readonly listening: boolean;
  /** Whether a TCP connection to a ready pod could be opened; `no pod`: there is none to try. */
  readonly connects: 'yes' | 'no' | 'no pod';
  /** For people, when something is wrong. */
  readonly problem?: string;
}

/** The answers come in the order of the request. */
export interface RehearsalReply {
  readonly services: readonly { readonly namespace: string; readonly service: string; readonly routes: readonly RouteRehearsal[] }[];
}

/** What one resolver has seen of one Service; ports that never wake are not counted. */
export interface ServiceActivity {
  readonly namespace: string;
  readonly service: string;
  /** Requests and connections that are open through this resolver, held ones included. */
  readonly open: number;
  /** Since the last one began, by this resolver's own clock: two clocks are never compared. */
  readonly lastRequestAgoMs?: number;
}

/** `GET /activity` gives all services with something to tell, `GET /activity?namespace=&service=` just one; a service that is not named has seen nothing. */
export interface ActivityReply {
  readonly services: readonly ServiceActivity[];
  /** How long this resolver has been counting, by its own clock: of the time before it knows nothing. Absent, from an older one: it vouches for no time at all. */
  readonly countedForMs?: number;
}

/** On slices that send a Service's traffic to resolvers: a load balancer outside of the cluster reads them, and takes longer to hear of a change. */
export const loadBalancerLabel = 'elasti.truefoundry.com/load-balancer';
