import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorNodeFlags, resolverNodeFlags } from '../../infra/charts/node-flags';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: { node: string } };

/** The instructions of a Dockerfile, without comments, one stage after the other. */
function stagesOf(app: string): string[][] {
  const lines = read(`infra/docker/${app}.Dockerfile`)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.reduce<string[][]>((stages, line) => {
    if (line.startsWith('FROM ')) stages.push([]);
    stages.at(-1)?.push(line);
    return stages;
  }, []);
}

describe.each([
  ['operator', operatorNodeFlags],
  ['resolver', resolverNodeFlags],
])('the Dockerfile of the %s', (app, flags) => {
  const [build = [], final = []] = stagesOf(app);

  it('builds with the Node.js that package.json asks for', () => {
    const wanted = /^\^(\d+)\./.exec(devDependencies.node)?.[1];

    expect(read(`infra/docker/${app}.Dockerfile`)).toContain(`ARG NODE_VERSION=${wanted}\n`);
    expect(build[0]).toBe('FROM node:${NODE_VERSION}-bookworm-slim AS build');
    expect(build.some((line) => line.endsWith(`npm run images -- ${app}`))).toBe(true);
  });

  it('ends with nothing but node and what was staged', () => {
    const copies = final.filter((line) => /^(COPY|ADD|RUN) /.test(line));

    expect(copies).toEqual([
      'COPY --from=build /usr/local/bin/node /usr/local/bin/node',
      `COPY --from=build /src/infra/dist/images/${app}/app /app`,
    ]);
  });

  it('starts the program as the chart does, as nobody in particular', () => {
    expect(final).toContain('USER 65532:65532');
    expect(final).toContain(`ENTRYPOINT [${['node', ...flags, '/app/main.js'].map((word) => `"${word}"`).join(', ')}]`);
  });
});

describe('.dockerignore', () => {
  it('lets everything in that the build reads, and neither secrets nor what is built anew', () => {
    const [first, ...rest] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));

    expect(first).toBe('*');
    for (const needed of [
      'package.json',
      'package-lock.json',
      '.npmrc',
      'tsconfig.json',
      'tsconfig.base.json',
      'apps',
      'libs',
      'infra',
      'LICENSE',
    ]) {
      expect(rest).toContain(`!${needed}`);
    }
    expect(rest).toEqual(expect.arrayContaining(['**/node_modules', '**/dist']));
  });
});
