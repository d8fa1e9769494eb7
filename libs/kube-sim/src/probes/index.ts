export * from './container-probes';
export * from './probe-action';
export * from './probe-tally';
export * from './prober';
