const typescript = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

const tier = (displayName, testMatch) => ({
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
});

// End-to-end specs need a cluster (KUBECONFIG), so they run only when asked for.
const tiers = process.env.ELASTI_TIER === 'e2e' ? [tier('e2e', ['test/e2e/**/*.spec.ts'])] : undefined;

module.exports = {
  projects: tiers ?? [
    tier('unit', ['libs/*/src/**/*.spec.ts', 'apps/*/src/**/*.spec.ts', 'infra/**/*.spec.ts']),
    tier('integration', ['test/integration/**/*.spec.ts']),
    tier('conformance', ['test/conformance/**/*.spec.ts']),
  ],
};
