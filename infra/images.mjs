// Stages exactly the files each image needs: one bundled program without node_modules, ready for any builder.
import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const apps = ['webapp-operator'];

// Nest and terminus offer these to applications that use them, and ask for each only when it is used; ours use none of them.
const optional = [
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/mongoose',
  '@nestjs/platform-express',
  '@nestjs/sequelize/*',
  '@nestjs/typeorm/*',
  '@nestjs/websockets/*',
  '@mikro-orm/*',
  'class-transformer/storage',
];

for (const app of apps) {
  const stage = join(root, 'infra/dist/images', app);
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(join(stage, 'app'), { recursive: true });
  await build({
    entryPoints: [join(root, 'apps', app, 'dist/main.js')],
    outfile: join(stage, 'app/main.js'),
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    keepNames: true,
    sourcemap: false,
    external: optional,
    logLevel: 'warning',
  });
  cpSync(join(root, 'LICENSE'), join(stage, 'app/LICENSE'));
  writeFileSync(join(stage, 'app/package.json'), '{ "type": "commonjs" }\n');
  process.stdout.write(`infra/dist/images/${app}: ${(statSync(join(stage, 'app/main.js')).size / 1e6).toFixed(1)} MB\n`);
}
