import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, YamlOutputType } from 'cdk8s';
import { parse, parseAllDocuments } from 'yaml';
import { type Manifest, synthesize } from '../../infra/charts/manifest.fixture';
import { finishHelmChart, helmChartAround } from '../../infra/helm-chart';
import { addInstallation } from '../../infra/installation';
import { settingsFrom } from '../../infra/settings/settings';

const withMonitoring = { monitoring: { enabled: true } };
let chart: string;

beforeEach(() => {
  chart = mkdtempSync(join(tmpdir(), 'elasti-chart-'));
});

afterEach(() => rmSync(chart, { recursive: true }));

/** As `cdk8s synth --format helm` goes about it: the frame of a chart first, then the templates. */
function synthesizeChartFolder(given: object = {}): void {
  const outdir = join(chart, 'templates');
  mkdirSync(outdir);
  writeFileSync(join(chart, 'Chart.yaml'), 'name: some-folder\n');
  const app = new App({ outdir, yamlOutputType: YamlOutputType.FILE_PER_CHART });
  addInstallation(app, settingsFrom(given), 'helm');
  app.synth();
  finishHelmChart(chart, { version: '1.2.3', description: 'Puts services to sleep' });
}

function readTemplates(): string[] {
  const templates = join(chart, 'templates');
  const files = readdirSync(templates).sort();
  return files.map((file) => readFileSync(join(templates, file), 'utf8'));
}

/** As Helm would: constants are all that there is to evaluate, and what it makes of a template must be YAML. */
function renderTemplates(): Manifest[] {
  return readTemplates().flatMap((text) => {
    const documents = parseAllDocuments(text.replaceAll(/\{\{ "(.*?)" \}\}/g, '$1'));
    return documents.flatMap((document) => {
      if (document.errors.length > 0) throw new Error(document.errors.join('\n'));
      return (document.toJS() as Manifest | null) ?? [];
    });
  });
}

function nameOf({ apiVersion, kind, metadata: { namespace, name } }: Manifest): string {
  return `${apiVersion} ${kind} ${namespace ?? ''}/${name}`;
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

  it('renders to the same objects as the charts, braces of alerts and dashboard included', () => {
    synthesizeChartFolder(withMonitoring);

    expect(readTemplates().join('').replaceAll('{{ "{{" }}', '')).not.toContain('{{');
    const objects = renderTemplates();
    expect(JSON.stringify(objects)).toContain('{{ $labels.');
    expect(objects).toEqual(JSON.parse(JSON.stringify(synthesize(withMonitoring, 'helm'))));
  });

  it.each([
    ['the defaults', {}],
    ['monitoring', withMonitoring],
    ['certain namespaces', { variant: 'namespaced', watchNamespaces: ['shop', 'blog'] }],
    ['every part that can be asked for', parse(readFileSync(join(__dirname, '../e2e/settings/everything.yaml'), 'utf8')) as object],
  ])('brings all that the manifests have with %s, in the same order, but the namespace', (_what, given) => {
    synthesizeChartFolder(given);

    const plain = synthesize(given).filter(({ kind }) => kind !== 'Namespace');
    expect(renderTemplates().map(nameOf)).toEqual(plain.map(nameOf));
  });
});
