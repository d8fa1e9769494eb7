import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stringify } from 'yaml';

export interface ChartMetadata {
  readonly version: string;
  readonly description: string;
}

/** The Helm chart that `cdk8s synth --format helm` has begun, where the templates go to `outdir`; `undefined` when it makes plain manifests. */
export function helmChartAround(outdir: string | undefined): string | undefined {
  if (outdir === undefined || basename(outdir) !== 'templates') return undefined;
  const folder = dirname(outdir);
  return existsSync(join(folder, 'Chart.yaml')) ? folder : undefined;
}

/** Finishes it: cdk8s names a chart after the folder it runs in, and takes no care of double braces in alerts and dashboards, which are templates to Helm. */
export function finishHelmChart(folder: string, { version, description }: ChartMetadata): void {
  const chart = {
    apiVersion: 'v2',
    name: 'elasti',
    version,
    appVersion: version,
    description,
    type: 'application',
    // The first that has the operator's sleep before SIGTERM without a feature gate.
    kubeVersion: '>=1.30.0-0',
  };
  writeFileSync(join(folder, 'Chart.yaml'), stringify(chart));
  writeFileSync(join(folder, 'README.md'), `${description}. Synthesized: its values are the settings file it was made of.\n`);
  const templates = join(folder, 'templates');
  for (const file of readdirSync(templates)) {
    const path = join(templates, file);
    writeFileSync(path, escapeBraces(readFileSync(path, 'utf8')));
  }
}

/** As Helm's templates give it back unchanged. */
export function escapeBraces(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}
