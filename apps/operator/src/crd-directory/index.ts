export * from './elasti-directory';
