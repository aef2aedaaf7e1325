// The module that `build-pages.ts` makes of `thread.ts`. It is not committed.

/** The program of a thread that reads. */
export declare const program: string
