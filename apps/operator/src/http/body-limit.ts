/** Far more than a wake call needs, and too little to fill the memory with. */
export const maxBodyBytes = 16 * 1024;
