export { H2Relay } from './h2-relay';
