export { wakeAudience } from './auth/token-review.authenticator';
export * from './elasti-server.module';
