const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

/** Before the tests that run the programs as processes: a clone has none built, and old ones would be tested otherwise. */
module.exports = function buildOnce() {
  const root = join(__dirname, '..');
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', root], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the programs could not be built: see above, and try `npm run build`');
};
