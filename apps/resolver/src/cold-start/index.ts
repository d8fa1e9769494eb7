export { WaitingPage } from './waiting-page';
