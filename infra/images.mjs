// Stages exactly the files each image needs: one bundled program without node_modules, ready for any builder. Names of images stage only those.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

// Nest and terminus offer these to applications that use them, and ask for each only when it is used; ours use none of them.
const optional = [
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/mongoose',
  '@nestjs/sequelize/*',
  '@nestjs/typeorm/*',
  '@nestjs/websockets/*',
  '@mikro-orm/*',
  'class-transformer/storage',
];

// Big, and loaded only when they are used: in files of their own, since a program's whole text stays in memory.
const lazy = ['@kubernetes/client-node', '@sentry/nestjs'];
// Names are kept as they are, but for one of two that are the same; esbuild's keepNames would set the name of every closure anew whenever it is made.
const options = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'linked',
  sourcemap: false,
  logLevel: 'warning',
};

const programs = [
  { image: 'operator', entry: 'apps/operator/dist/main.js', external: optional, limitMegabytes: 40 },
  { image: 'resolver', entry: 'apps/resolver/dist/main.js', external: optional, limitMegabytes: 40 },
  // It has no HTTP server of Nest's.
  { image: 'webapp-operator', entry: 'apps/webapp-operator/dist/main.js', external: [...optional, '@nestjs/platform-express'] },
  // Plays the resolver in the end-to-end tests of the operator.
  { image: 'stub-resolver', entry: 'test/fixtures/stub-resolver/main.ts', external: [] },
];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => programs.every(({ image }) => image !== name));
if (unknown.length > 0) fail(`there is no image ${unknown.join(', ')}; there are ${programs.map(({ image }) => image).join(', ')}`);

for (const { image, entry, external, limitMegabytes } of programs) {
  if (asked.length > 0 && !asked.includes(image)) continue;
  const stage = join(root, 'infra/dist/images', image);
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(join(stage, 'app'), { recursive: true });
  const used = new Set();
  const plugins = [lazyPackages(used)];
  await build({ ...options, entryPoints: [join(root, entry)], outfile: join(stage, 'app/main.js'), external, plugins });
  for (const name of used) {
    await build({
      ...options,
      entryPoints: [name],
      absWorkingDir: join(root, 'apps/operator'),
      outfile: join(stage, 'app', fileOf(name)),
      external,
    });
  }
  cpSync(join(root, 'LICENSE'), join(stage, 'app/LICENSE'));
  writeFileSync(join(stage, 'app/package.json'), '{ "type": "commonjs" }\n');
  const megabytes = sizeOf(stage) / 1e6;
  process.stdout.write(`infra/dist/images/${image}: ${megabytes.toFixed(1)} MB\n`);
  if (megabytes > limitMegabytes) fail(`${image} has grown beyond ${limitMegabytes} MB: see what its bundle has taken in`);
  checkDockerfile(image);
}

/** What its Dockerfile takes from here must be here. */
function checkDockerfile(image) {
  const file = join(root, `infra/docker/${image}.Dockerfile`);
  if (!existsSync(file)) return;
  const taken = [...readFileSync(file, 'utf8').matchAll(/^COPY --from=build \/src\/(\S+)/gm)].map(([, path]) => path);
  const missing = taken.filter((path) => !existsSync(join(root, path)));
  if (taken.length === 0 || missing.length > 0) fail(`${file} takes what is not staged: ${missing.join(', ') || 'nothing at all'}`);
}

function sizeOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function lazyPackages(used) {
  return {
    name: 'lazy packages',
    setup(bundle) {
      bundle.onResolve({ filter: new RegExp(`^(${lazy.join('|')})$`) }, ({ path }) => {
        used.add(path);
        return { path: `./${fileOf(path)}`, external: true };
      });
    },
  };
}

function fileOf(name) {
  return `lazy/${name.replace(/^@/, '').replace('/', '-')}.js`;
}
