export * from './fake-caches';
export * from './fake-clock';
export * from './fake-controller-host';
export * from './recording-logger';
export * from './scripted-server';
