import { resolverPorts, shardName, shardOf } from '@elasti/api';

/** The names, ports and labels of an installation: KubeElasti's, so that ours can be applied over it. */
export const operatorName = 'elasti-operator-controller-manager';
export const resolverName = 'elasti-resolver';
export const operatorServiceName = 'elasti-operator-controller-service';
export const resolverServiceName = 'elasti-resolver-service';

/** Of both programs: wake calls, what operator and resolver ask each other, metrics. */
export const apiPort = 8013;
export const proxyPort = 8012;
export const operatorProbePort = 8081;

/** The operator's: KubeElasti's too, so that old and new never lead at once. */
export const leaseName = 'acf50383.truefoundry.io';
/** All that the operator ever writes routes into. */
export const routeShardNames = Array.from({ length: shardOf(resolverPorts.last) + 1 }, (_, shard) => shardName(shard));

const installation = { 'app.kubernetes.io/name': 'elasti', 'app.kubernetes.io/instance': 'elasti' };
/** Exactly what KubeElasti's Deployments select by: a selector cannot be changed. */
export const operatorLabels = { 'control-plane': 'controller-manager', ...installation };
export const resolverLabels = { app: resolverName, ...installation };
