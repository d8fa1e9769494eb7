// The direction of imports: apps -> libs, never back; inside the kit from the upper floors to the lower ones.

// Each floor may use the floors below it, and rooms named on the same line may not use each other.
const kitFloors = [
  ['clock', 'early-stop', 'json', 'logging'],
  ['metrics'],
  ['client'],
  ['conditions', 'owners', 'queue', 'cache', 'crd', 'events', 'leader-election', 'webhook'],
  ['ensure', 'finalizer'],
  ['controller'],
  ['manager'],
  ['nest'],
  ['program'],
];

const kit = 'libs/operator-kit/src';
const floorRules = kitFloors.flatMap((rooms, floor) =>
  rooms.map((room) => {
    const allowed = [room, ...kitFloors.slice(0, floor).flat()];
    return {
      name: `kit-${room}-looks-down`,
      severity: 'error',
      comment: `${room} may import only rooms below it: ${allowed.join(', ')}`,
      from: { path: `^${kit}/${room}/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `^${kit}/`, pathNot: `^${kit}/(${allowed.join('|')})/` },
    };
  }),
);

module.exports = {
  forbidden: [
    // A cycle of types alone is gone at run time.
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'libs-never-apps', severity: 'error', from: { path: '^libs/' }, to: { path: '^(apps|infra|test)/' } },
    { name: 'apps-never-apps', severity: 'error', from: { path: '^apps/([^/]+)/' }, to: { path: '^apps/', pathNot: '^apps/$1/' } },
    {
      name: 'product-never-tests',
      severity: 'error',
      from: { path: '^(apps|libs|infra)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/|\\.spec\\.ts$' },
    },
    {
      name: 'kit-knows-nobody',
      severity: 'error',
      from: { path: '^libs/operator-kit/' },
      to: { path: '^libs/', pathNot: '^libs/operator-kit/' },
    },
    { name: 'sim-knows-nobody', severity: 'error', from: { path: '^libs/kube-sim/' }, to: { path: '^libs/', pathNot: '^libs/kube-sim/' } },
    {
      name: 'rooms-by-their-door',
      severity: 'error',
      comment: 'another room is entered through its index.ts',
      from: { path: '^(libs/[^/]+/src|apps/[^/]+/src)/([^/]+)/', pathNot: '\\.(spec|fixture)\\.ts$' },
      to: { path: '^(libs/[^/]+/src|apps/[^/]+/src)/[^/]+/', pathNot: ['^$1/$2/', '/index\\.ts$'] },
    },
    {
      name: 'testing-only-in-tests',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['\\.(spec|fixture)\\.ts$', `^${kit}/testing/`] },
      to: { path: `^${kit}/testing/` },
    },
    ...floorRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
  },
};
