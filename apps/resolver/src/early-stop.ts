import { stopEarly } from '@elasti/operator-kit/early-stop';

/** Imported first, so that signals count from the first moment. */
export const endEarlyStop = stopEarly();
