export * from './fake-clock';
export * from './recording-logger';
export * from './scripted-server';
