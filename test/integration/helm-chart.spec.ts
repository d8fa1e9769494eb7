import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, YamlOutputType } from 'cdk8s';
import { parse, parseAllDocuments } from 'yaml';
import { synthesize } from '../../infra/charts/manifest.fixture';
import { finishHelmChart, helmChartAround } from '../../infra/helm-chart';
import { addInstallation } from '../../infra/installation';
import { settingsFrom } from '../../infra/settings/settings';

const given = { monitoring: { enabled: true } };
let chart: string;

beforeEach(() => {
  chart = mkdtempSync(join(tmpdir(), 'elasti-chart-'));
});

afterEach(() => rmSync(chart, { recursive: true }));

/** As `cdk8s synth --format helm` goes about it: the frame of a chart first, then the templates. */
function synthesizeChartFolder(): void {
  const outdir = join(chart, 'templates');
  mkdirSync(outdir);
  writeFileSync(join(chart, 'Chart.yaml'), 'name: some-folder\n');
  const app = new App({ outdir, yamlOutputType: YamlOutputType.FILE_PER_CHART });
  addInstallation(app, settingsFrom(given), 'helm');
  app.synth();
  finishHelmChart(chart, { version: '1.2.3', description: 'Puts services to sleep' });
}

describe('the Helm chart', () => {
  it('is told from plain manifests by the frame that cdk8s makes first', () => {
    const outdir = join(chart, 'templates');
    const before = helmChartAround(outdir);
    writeFileSync(join(chart, 'Chart.yaml'), '');

    expect([before, helmChartAround(outdir), helmChartAround(chart), helmChartAround(undefined)]).toEqual([
      undefined,
      chart,
      undefined,
      undefined,
    ]);
  });

  it('has a name and a version of its own', () => {
    synthesizeChartFolder();

    expect(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))).toMatchObject({
      apiVersion: 'v2',
      name: 'elasti',
      version: '1.2.3',
      type: 'application',
    });
  });

  it('renders to the same objects as the manifests, braces of alerts and dashboard included', () => {
    synthesizeChartFolder();
    const templates = readdirSync(join(chart, 'templates'))
      .sort()
      .map((file) => readFileSync(join(chart, 'templates', file), 'utf8'));
    // The constants are all that there is for Helm to evaluate.
    const rendered = templates.map((text) => text.replaceAll(/\{\{ "(.*?)" \}\}/g, '$1'));
    const objects = rendered.flatMap((text) => parseAllDocuments(text)).flatMap((document) => (document.toJS() as object | null) ?? []);

    expect(templates.join('').replaceAll('{{ "{{" }}', '')).not.toContain('{{');
    expect(JSON.stringify(objects)).toContain('{{ $labels.');
    expect(objects).toEqual(JSON.parse(JSON.stringify(synthesize(given, 'helm'))));
  });
});
