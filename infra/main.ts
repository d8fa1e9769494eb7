import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { App, YamlOutputType } from 'cdk8s';
import { finishHelmChart, helmChartAround } from './helm-chart';
import { addInstallation } from './installation';
import { parseSettings } from './settings/settings';
import { SettingsError } from './settings/settings.errors';

const root = join(__dirname, '../..');
const description = 'Puts idle Kubernetes services to sleep and wakes them on the first request';

/** Run by `cdk8s synth`: writes the manifests of Elasti to where cdk8s wants them. */
function main(): void {
  const file = process.env.ELASTI_SETTINGS ?? join(root, 'infra/elasti.settings.yaml');
  const settings = parseSettings({ name: file, text: readFileSync(file, 'utf8') }, process.env);
  const helmChart = helmChartAround(process.env.CDK8S_OUTDIR);
  const app = new App({ yamlOutputType: YamlOutputType.FILE_PER_CHART });
  addInstallation(app, settings, helmChart === undefined ? 'plain' : 'helm');
  app.synth();
  if (helmChart !== undefined) finishHelmChart(helmChart, { version: versionIn(join(root, 'package.json')), description });
}

function versionIn(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

try {
  main();
} catch (error) {
  // All mistakes are in the message; where in our code they were found is of no use to whoever wrote them.
  process.stderr.write(`${error instanceof SettingsError ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
