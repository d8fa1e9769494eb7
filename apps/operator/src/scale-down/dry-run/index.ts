export * from './dry-run-account';
export * from './dry-run-ledger';
export * from './format-dry-run';
