// Applies each patch of ./patches to a copy of the tree, one at a time, and demands that the test of the promise it breaks fails.
// A patch begins with a sentence of libs/operator-kit/BEHAVIOURS.md, or one part of it between full stops and semicolons, and the specs that hold its test:
//   # breaks: 1. A key added twice before it is taken is delivered once.
//   # tests: libs/operator-kit/src/queue/work-queue.spec.ts
// or with `operator` before the number and a sentence of apps/operator/PROMISES.md.
// Only a failure of the test of that name counts, and no time limit: a patch that no longer applies, that makes a suite unloadable or
// that only trips other tests fails the run. Words after `npm run test:mutants --` choose patches by name.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const patchFolder = join(import.meta.dirname, 'patches');
const wanted = process.argv.slice(2);
const promiseFiles = { kit: 'libs/operator-kit/BEHAVIOURS.md', operator: 'apps/operator/PROMISES.md' };
const promises = Object.fromEntries(Object.entries(promiseFiles).map(([product, file]) => [product, readPromises(file)]));

const patches = readdirSync(patchFolder)
  .filter((file) => file.endsWith('.patch') && (wanted.length === 0 || wanted.some((word) => file.includes(word))))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  .map(readPatch);
if (patches.length === 0) fail(`no patch in ${patchFolder} matches ${wanted.join(' ')}`);

const copy = mkdtempSync(join(tmpdir(), 'elasti-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
copyTree();

const baseline = runTests([...new Set(patches.flatMap(({ specs }) => specs))]);
if (!baseline.loaded || baseline.failed.length > 0) fail(`the tests must pass before anything is broken:\n${baseline.output}`);
for (const { name, promise } of patches) if (!baseline.passed.some(isTestOf(promise))) fail(`${name}: no test is named "${promise}"`);

let unnoticed = 0;
for (const patch of patches) {
  const { verdict, details } = tryPatch(patch);
  if (verdict !== 'noticed') unnoticed += 1;
  process.stdout.write(`${verdict.padEnd(8)}  ${patch.name}\n${details ? `${details}\n` : ''}`);
}

process.stdout.write(`${patches.length - unnoticed} passed, ${unnoticed} failed\n`);
process.exitCode = unnoticed === 0 ? 0 : 1;

function tryPatch({ path, specs, promise }) {
  const applied = git('apply', path);
  if (applied.status !== 0) return { verdict: 'STALE', details: `it does not apply: ${applied.stderr.trim()}` };

  const { loaded, failed, output } = runTests(specs);
  if (git('apply', '--reverse', path).status !== 0) fail(`${path} cannot be taken back`);
  if (!loaded) return { verdict: 'UNUSABLE', details: output };
  if (failed.some(isTestOf(promise))) return { verdict: 'noticed' };
  const others = failed.map(({ title }) => `  ${title}`).join('\n');
  return { verdict: 'SURVIVED', details: `the test "${promise}" did not fail${others && `, only:\n${others}`}` };
}

/** By number, every sentence and every part of one. */
function readPromises(file) {
  const text = readFileSync(join(root, file), 'utf8');
  return new Map(
    [...text.matchAll(/^(\d+)\. (.+)$/gm)].map(([, number, line]) => {
      const sentences = line.split(/(?<=[.!?])\s+(?=[A-Z0-9])/);
      return [number, new Set([...sentences, ...sentences.flatMap((sentence) => sentence.split(/[;.]\s+/))].map(plain))];
    }),
  );
}

function readPatch(file) {
  const path = join(patchFolder, file);
  const text = readFileSync(path, 'utf8');
  const [, product = 'kit', number, promise] = text.match(/^# breaks: (?:(kit|operator) )?(\d+)\. (.+)$/m) ?? [];
  const specs = text
    .match(/^# tests: (.+)$/m)?.[1]
    .trim()
    .split(/\s+/);
  if (!promise || !specs) fail(`${file} must say "# breaks: <number>. <promise>" and "# tests: <specs>" before the diff`);
  if (!promises[product].get(number)?.has(plain(promise)))
    fail(`${file}: ${promiseFiles[product]} does not promise "${number}. ${promise}"`);
  for (const spec of specs) if (!existsSync(join(root, spec))) fail(`${file}: there is no ${spec}`);
  return { name: file.replace(/\.patch$/, ''), path, promise, specs };
}

function copyTree() {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of files.split('\0').filter((name) => name && existsSync(join(root, name)))) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

function runTests(specs) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const jest = ['--experimental-vm-modules', '--no-warnings', join(root, 'node_modules/jest/bin/jest.js')];
  // Forced, because a test that fails half way may leave a server open.
  const options = ['--silent', '--runInBand', '--forceExit', '--cacheDirectory', join(copy, '.jest'), '--json', '--outputFile', report];
  const { stderr } = spawnSync(process.execPath, [...jest, ...options, '--runTestsByPath', ...specs], {
    cwd: copy,
    encoding: 'utf8',
    timeout: 120_000,
  });
  const output = stderr.slice(-4000);
  if (!existsSync(report)) return { loaded: false, passed: [], failed: [], output };

  const { testResults, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    loaded: numRuntimeErrorTestSuites === 0 && testResults.length === specs.length,
    passed: tests.filter(({ status }) => status === 'passed'),
    failed: tests.filter(({ status }) => status === 'failed'),
    output,
  };
}

/** A test that ran out of time is no witness: on a busy machine any test can. Neither is one that met code that cannot run. */
function isTestOf(promise) {
  const isWitness = (message) => !/^(?:ReferenceError|SyntaxError)\b|Exceeded timeout of \d+ ms/.test(message);
  const isNamed = ({ title, ancestorTitles }) =>
    [title, `${ancestorTitles.at(-1)} ${title}`].some((name) => plain(name) === plain(promise));
  return (test) => isNamed(test) && test.failureMessages.every(isWitness);
}

/** Two texts that say the same, whatever their quotes and their last mark. */
function plain(text) {
  return text
    .toLowerCase()
    .replaceAll(/['"`]/g, '')
    .replace(/[.;:\s]+$/, '');
}

/** The copy may lie within somebody's repository, where git would look for the patched files elsewhere. */
function git(...args) {
  return spawnSync('git', args, { cwd: copy, encoding: 'utf8', env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copy) } });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
