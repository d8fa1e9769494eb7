export * from './controller-host';
export * from './reconciler';
