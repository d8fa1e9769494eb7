import { App, Testing } from 'cdk8s';
import { addInstallation } from '../installation';
import { settingsFrom } from '../settings/settings';
import type { OutputFormat } from './output-format';

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly resources: unknown;
  readonly lifecycle?: unknown;
  readonly securityContext: unknown;
  readonly volumeMounts?: unknown;
}

export interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly Container[];
  readonly volumes?: unknown;
  readonly [field: string]: unknown;
}

/** What the tests read of a synthesized object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
  readonly subjects?: readonly unknown[];
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: unknown;
    readonly ports?: readonly { readonly name: string; readonly port: number; readonly targetPort?: number }[];
    readonly template?: { readonly metadata: Manifest['metadata']; readonly spec: PodSpec };
    readonly [field: string]: unknown;
  };
}

/** The objects of every chart, in the order in which they are applied. */
export function synthesize(given: object = {}, format: OutputFormat = 'plain'): Manifest[] {
  const charts = addInstallation(new App(), settingsFrom(given), format);
  return charts.flatMap((chart) => Testing.synth(chart) as Manifest[]);
}

/** The objects of one chart. */
export function synthesizeChart(id: string, given: object = {}): Manifest[] {
  const chart = addInstallation(new App(), settingsFrom(given)).find(({ node }) => node.id === id);
  return chart ? (Testing.synth(chart) as Manifest[]) : [];
}

export function podOf(manifests: readonly Manifest[]): PodSpec {
  const pod = manifests.find(({ kind }) => kind === 'Deployment')?.spec.template?.spec;
  if (!pod) throw new Error('there is no Deployment');
  return pod;
}

export function variablesOf(pod: PodSpec): Record<string, unknown> {
  return Object.fromEntries((pod.containers[0]?.env ?? []).map(({ name, value, valueFrom }) => [name, valueFrom ?? value]));
}
