export * from './activity';
export * from './rehearsals';
export * from './resolver-client';
export * from './resolver-pod';
export * from './resolver-pods';
export * from './resolver.errors';
export * from './resolvers.module';
export * from './undici-resolver-transport';
