import { ElastiService, type ElastiServiceSpec, resolverPorts } from '@elasti/api';
import { Deployment, Namespace, Service } from '@elasti/operator-kit';
import { join } from 'node:path';
import type { Manifest } from './installation';
import { demoNamespace as namespace } from './names';
import { demoPort, type NetworkPlan, type PlannedPort } from './network-plan';

/** A service of the demonstration: a page of JavaScript, run as a pod. */
export interface DemoService {
  readonly name: string;
  readonly what: string;
}

export const demoServices: readonly DemoService[] = [
  { name: 'web', what: 'a page' },
  { name: 'api', what: 'JSON; takes three seconds to start' },
  { name: 'live', what: 'server-sent events at /events, and a WebSocket' },
];

/** No sleep within this time of a wake, and then a look at the traffic for as long as the window: about half a minute in all. */
const cooldownPeriod = 15;
const window = '8s';

/** The three services, asleep from the beginning: nobody has to wait to see one wake. */
export function buildDemo(root: string, plan: NetworkPlan): Manifest[] {
  return [
    [Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }],
    ...demoServices.flatMap(({ name }, number): Manifest[] => [
      [Service, buildService(name, plan.services?.demo(number))],
      [Deployment, buildDeployment(name, join(root, `apps/playground/services/${name}.mjs`))],
      [ElastiService, buildElastiService(name)],
    ]),
  ];
}

/** What the demonstration listens on: the services and, one port for each, the resolver, which takes the first of its range. */
export function listDemoPorts({ services, anyPod }: NetworkPlan): PlannedPort[] {
  const routes = demoServices.map(({ name }, number): PlannedPort => {
    return { ...anyPod, port: resolverPorts.first + number, what: `the resolver (for ${name})`, remedy: 'none' };
  });
  if (!services) return routes;
  return [
    ...routes,
    { ...anyPod, port: demoPort, what: 'the services', remedy: 'other-network' },
    ...demoServices.map(({ name }, number): PlannedPort => {
      return { host: services.demo(number), port: demoPort, what: `the service ${name}`, scope: 'address', remedy: 'other-port' };
    }),
  ];
}

function buildService(name: string, clusterIP: string | undefined): Service {
  const ports = [{ name: 'http', port: demoPort, targetPort: 'http' as unknown as number }];
  const spec = { selector: { app: name }, ports, ...(clusterIP && { clusterIP }) };
  return { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec };
}

function buildDeployment(name: string, program: string): Deployment {
  const container = {
    name,
    image: name,
    command: ['node', program],
    ports: [{ name: 'http', containerPort: demoPort }],
    env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
    readinessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 1 },
  };
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 5, containers: [container] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
}

function buildElastiService(name: string): ElastiService {
  const spec: ElastiServiceSpec = {
    service: name,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    cooldownPeriod,
    triggers: [{ type: 'traffic', metadata: { window } }],
  };
  return ElastiService.create(name, spec, { namespace });
}
