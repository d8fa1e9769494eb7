// `npm start`: checks, builds what has changed, and watches over the playground, of which nothing may be left.
// Any Node can read this file: the check of its version comes before anything newer is loaded.
'use strict';

const { spawn, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = path.join(__dirname, '..', '..');
const oldestNode = 22;

function main() {
  const problem = findProblem();
  if (problem) return fail(problem);
  process.stdout.write('Building what has changed ...\n');
  if (build() !== 0) return fail('The build failed, see above. With sources as they were checked out, run `npm ci` and try again.');
  process.stdout.write('Starting ...\n');
  run();
}

function findProblem() {
  if (process.platform === 'win32') return 'The playground needs Linux or macOS: on Windows run it inside WSL.';
  if (Number(process.versions.node.split('.')[0]) < oldestNode) {
    return `Node ${process.versions.node} is too old: run \`npm ci\`, which installs Node 24 for this project, and then \`npm start\`.`;
  }
  if (!fs.existsSync(path.join(root, 'node_modules', 'typescript'))) return 'The packages are not installed: run `npm ci` first.';
  return undefined;
}

function build() {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  return spawnSync(process.execPath, [tsc, '-b', root], { stdio: 'inherit' }).status;
}

/**
 * The playground runs in a session of its own, so that Ctrl-C reaches it once, through here. When it dies, however it dies, kube-sim sees to its pods and this
 * process to its folder; when this process is the one that dies, the channel between them closes, and the playground stops by itself.
 */
function run() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'elasti-playground-'));
  const args = [path.join(__dirname, 'dist', 'main.js')].concat(process.argv.slice(2));
  const env = Object.assign({}, process.env, { ELASTI_PLAYGROUND_FOLDER: folder });
  const child = spawn(process.execPath, args, { detached: true, env: env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  process.on('SIGINT', () => child.kill('SIGINT'));
  // The terminal tells only its own session that its size has changed.
  process.on('SIGWINCH', () => child.kill('SIGWINCH'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    fs.rmSync(folder, { recursive: true, force: true });
    if (signal) process.stderr.write(`The playground was ended by ${signal}, and its pods with it.\n`);
    process.exitCode = code === null ? 1 : code;
  });
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

main();
