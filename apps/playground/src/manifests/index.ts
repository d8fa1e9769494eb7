export * from './demo';
export * from './installation';
export * from './names';
export * from './network-plan';
