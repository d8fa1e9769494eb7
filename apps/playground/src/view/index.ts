export * from './format';
export * from './plain.view';
export * from './terminal.view';
export * from './view';
