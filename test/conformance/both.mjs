// Runs the conformance cases on kube-sim and on the API server that KUBECONFIG names, and demands the same of both.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

if (!process.env.KUBECONFIG) {
  console.error(
    [
      'KUBECONFIG is not set, and half of this suite runs against a real API server.',
      'Any cluster whose objects you may create and delete will do; the cases keep to namespaces and CRD groups of their own. For example:',
      '  kind create cluster && kind get kubeconfig > /tmp/kubeconfig',
      '  KUBECONFIG=/tmp/kubeconfig npm run test:apiserver',
      'To run the cases on kube-sim alone: npm test -- --selectProjects conformance',
    ].join('\n'),
  );
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
try {
  const runs = ['kube-sim', 'apiserver'].map(run);
  console.log('');
  for (const { server, cases } of runs) console.log(`${server}: ${count(cases, 'passed')} passed, ${failures(cases).length} failed`);

  const complaints = [...runs.flatMap(complaintsAbout), ...differences(...runs)];
  for (const complaint of complaints) console.log(complaint);
  process.exitCode = complaints.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** One run of the suite: the result of every case by its full name. */
function run(server) {
  const outputFile = join(folder, `${server}.json`);
  console.log(`\nthe cases on ${server}`);
  const jest = spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      'node_modules/jest/bin/jest.js',
      '--selectProjects',
      'conformance',
      '--maxWorkers=2',
      '--json',
      `--outputFile=${outputFile}`,
      ...process.argv.slice(2),
    ],
    { cwd: root, env: { ...process.env, ELASTI_CONFORMANCE: server }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (jest.error) throw jest.error;
  return { server, ...read(outputFile) };
}

function read(outputFile) {
  const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8'));
  const cases = new Map();
  const twice = [];
  const unread = testResults
    .filter(({ assertionResults }) => assertionResults.length === 0)
    .map(({ name, message }) => `${name}: ${message}`);
  for (const { fullName, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    if (cases.has(fullName)) twice.push(fullName);
    cases.set(fullName, status);
  }
  return { cases, twice, unread };
}

function count(cases, wanted) {
  return [...cases.values()].filter((status) => status === wanted).length;
}

/** Anything but a pass is a failure, a case that did not run included. */
function failures(cases) {
  return [...cases].filter(([, status]) => status !== 'passed');
}

function complaintsAbout({ server, cases, twice, unread }) {
  return [
    ...unread.map((file) => `${server}: could not be run: ${file}`),
    ...twice.map((name) => `${server}: two cases share a name: ${name}`),
    ...failures(cases).map(([name, status]) => `${server}: ${status}: ${name}`),
    ...(cases.size === 0 ? [`${server}: no case ran`] : []),
  ];
}

function differences(one, other) {
  const missing = (from, to) =>
    [...from.cases.keys()].filter((name) => !to.cases.has(name)).map((name) => `only on ${from.server}: ${name}`);
  return [...missing(one, other), ...missing(other, one)];
}
