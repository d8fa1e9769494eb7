/** Room for a rehearsal of as many services as may be asked for at once, and too little to fill the memory with. */
export const maxBodyBytes = 2 * 1024 * 1024;
