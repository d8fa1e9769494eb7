export * from './wake-demand';
