export * from './owners-concerned';
export { isNewerVersion } from './resource-version';
export * from './route';
export * from './route-ledger';
export * from './routes.module';
