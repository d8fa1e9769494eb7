// Applies each patch of ./patches to a copy of the tree, one at a time, and demands that the tests it names fail.
// A patch begins with lines such as:
//   # breaks: 1. A key added twice before it is taken is delivered once.
//   # tests: libs/operator-kit/src/queue/work-queue.spec.ts
// One that no test notices, or that no longer applies, fails the run.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const patchFolder = join(import.meta.dirname, 'patches');
const wanted = process.argv.slice(2);

const patches = readdirSync(patchFolder)
  .filter((file) => file.endsWith('.patch') && (wanted.length === 0 || wanted.some((word) => file.includes(word))))
  .sort()
  .map(readPatch);
if (patches.length === 0) fail(`no patch in ${patchFolder} matches ${wanted.join(' ')}`);

const copy = mkdtempSync(join(tmpdir(), 'elasti-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
copyTree();

const specs = [...new Set(patches.flatMap(({ tests }) => tests))];
const baseline = runTests(specs);
if (baseline.failed > 0 || baseline.passed === 0) fail(`the tests must pass before anything is broken:\n${baseline.output}`);

let survived = 0;
for (const patch of patches) {
  git('apply', patch.path);
  const { failed, broken, output } = runTests(patch.tests);
  git('apply', '--reverse', patch.path);

  const noticed = failed > 0 && !broken;
  if (!noticed) survived += 1;
  process.stdout.write(`${noticed ? 'noticed ' : 'SURVIVED'}  ${patch.name}  (${failed} tests failed)  ${patch.breaks}\n`);
  if (broken) process.stdout.write(`${output}\n`);
}

process.stdout.write(`${patches.length - survived} passed, ${survived} failed\n`);
process.exitCode = survived === 0 ? 0 : 1;

function readPatch(file) {
  const path = join(patchFolder, file);
  const text = readFileSync(path, 'utf8');
  const header = (name) => text.match(new RegExp(`^# ${name}: (.+)$`, 'm'))?.[1]?.trim();
  const [breaks, tests] = [header('breaks'), header('tests')];
  if (!breaks || !tests) fail(`${file} must say "# breaks: ..." and "# tests: ..." before the diff`);
  return { name: file.replace(/\.patch$/, ''), path, breaks, tests: tests.split(/\s+/) };
}

function copyTree() {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const file of files.split('\0').filter(Boolean)) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** `broken`: a suite could not even load, so its failure says nothing about the behaviour. */
function runTests(files) {
  const report = join(copy, 'report.json');
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const args = ['--experimental-vm-modules', '--no-warnings', jest, '--json', '--outputFile', report, '--silent', ...files];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', timeout: 180_000 });
  const { numFailedTests, numPassedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(report);
  return { failed: numFailedTests, passed: numPassedTests, broken: numRuntimeErrorTestSuites > 0, output: (stderr || stdout).slice(-4000) };
}

function git(...args) {
  execFileSync('git', args, { cwd: copy, stdio: ['ignore', 'inherit', 'inherit'] });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
