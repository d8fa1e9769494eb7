export * from './clock';
export * from './micro-time';
