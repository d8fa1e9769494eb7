const typescript = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

const tier = (displayName, testMatch, more = {}) => ({
  displayName,
  rootDir: __dirname,
  testMatch: testMatch.map((pattern) => `<rootDir>/${pattern}`),
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': typescript },
  moduleNameMapper: {
    '^@elasti/webapp-operator$': '<rootDir>/apps/webapp-operator/src/webapp.ts',
    '^@elasti/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^@elasti/([^/]+)/([^/]+)$': '<rootDir>/libs/$1/src/$2/index.ts',
  },
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
  ...more,
});

// These need a cluster (KUBECONFIG), so they run only when asked for.
const onACluster = { e2e: ['test/e2e/**/*.spec.ts'], faults: ['test/faults/**/*.spec.ts'] };
const asked = process.env.ELASTI_TIER;

module.exports = {
  // Each spec file leaves some of its modules behind. In one process for all of them the heap came to its limit, and what has a deadline missed it.
  workerIdleMemoryLimit: '1GB',
  projects:
    asked in onACluster
      ? [tier(asked, onACluster[asked])]
      : [
          tier('unit', ['libs/*/src/**/*.spec.ts', 'apps/*/src/**/*.spec.ts', 'infra/**/*.spec.ts']),
          tier('integration', ['test/integration/**/*.spec.ts'], { testPathIgnorePatterns: ['/test/integration/playground'] }),
          // Runs the programs themselves, so they are built first.
          tier('playground', ['test/integration/playground*.spec.ts'], { globalSetup: '<rootDir>/test/build-once.js' }),
          tier('conformance', ['test/conformance/**/*.spec.ts']),
        ],
};
