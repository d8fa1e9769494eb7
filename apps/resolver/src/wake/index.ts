export * from './http-wake-call';
export * from './operator-waker';
export * from './token-file';
export * from './wake-call';
export * from './wake-demand';
