// Has promtool parse every alert and every query of the dashboard, and play the cases of cases.yaml against the alerts.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import alertsModule from '../../infra/dist/charts/monitoring/alerts.js';
import dashboardModule from '../../infra/dist/charts/monitoring/dashboard.js';

const scope = { namespace: 'elasti' };
const groups = alertsModule.buildAlerts(scope);
const rows = dashboardModule.dashboardRows(scope);
const cases = parse(readFileSync(join(import.meta.dirname, 'cases.yaml'), 'utf8'));

if (spawnSync('promtool', ['--version']).error) {
  console.log(
    'promtool is missing: the alerts were not tried. It is in the package "prometheus" of Debian and in every release of Prometheus.',
  );
  process.exit(process.env.CI ? 1 : 0);
}

const folder = mkdtempSync(join(tmpdir(), 'elasti-alerts-'));
try {
  const failures = [...uncovered(), ...check('alerts.yaml', groups), ...check('panels.yaml', panelsAsRules()), ...playCases()];
  for (const failure of failures) console.error(failure);
  console.log(`${Math.max(0, cases.tests.length - failures.length)} passed, ${failures.length} failed`);
  process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}

function check(file, content) {
  writeFileSync(join(folder, file), stringify({ groups: content }));
  return promtool('check', 'rules', join(folder, file));
}

/** Promtool knows rules only, so each query becomes one; Grafana would have filled the variables in. */
function panelsAsRules() {
  const queries = rows.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries.map(({ expr }) => expr)));
  const filled = queries.map((expr) => expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(namespace|service)/g, '.*'));
  return [{ name: 'panels', rules: filled.map((expr, index) => ({ record: `panel_${index}`, expr })) }];
}

/** One run a case, so that a failure names its case. Promtool would compare the words as well, which `check` has parsed and no case is about. */
function playCases() {
  const wordless = groups.map(({ name, rules }) => ({ name, rules: rules.map((rule) => ({ ...rule, annotations: {} })) }));
  writeFileSync(join(folder, 'wordless.yaml'), stringify({ groups: wordless }));
  return cases.tests.flatMap(({ name, ...one }) => {
    const file = join(folder, 'case.yaml');
    writeFileSync(file, stringify({ rule_files: ['wordless.yaml'], evaluation_interval: '30s', tests: [one] }));
    return promtool('test', 'rules', file).map((failure) => `${name}\n${failure}`);
  });
}

/** Every alert is seen to fire in one case, and to stay silent in another. */
function uncovered() {
  const moments = cases.tests.flatMap((one) => one.alert_rule_test);
  return groups
    .flatMap(({ rules }) => rules.map(({ alert }) => alert))
    .flatMap((alert) => {
      const own = moments.filter(({ alertname }) => alertname === alert);
      const fires = own.some(({ exp_alerts = [] }) => exp_alerts.length > 0);
      const rests = own.some(({ exp_alerts = [] }) => exp_alerts.length === 0);
      return [...(fires ? [] : [`${alert}: no case shows it fire`]), ...(rests ? [] : [`${alert}: no case shows it stay silent`])];
    });
}

function promtool(...args) {
  try {
    execFileSync('promtool', args, { stdio: 'pipe' });
    return [];
  } catch (error) {
    return [`promtool ${args.slice(0, 2).join(' ')}:\n${error.stdout}${error.stderr}`];
  }
}
