export * from './field-error';
export * from './names';
export * from './object-meta';
