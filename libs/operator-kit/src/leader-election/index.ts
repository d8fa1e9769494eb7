export * from './leader-election.config';
export * from './leader-election.errors';
export * from './leader-elector';
