export * from './free-ports';
export * from './installed-simulator';
export * from './last-words';
export * from './playground.errors';
