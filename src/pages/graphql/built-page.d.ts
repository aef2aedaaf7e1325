// The module that `build-pages.ts` makes of this folder. It is not committed.

/** The page. */
export declare const html: string

/** The hash of the script that the page may run, for its Content-Security-Policy. */
export declare const scriptHash: string

/** The hash of the style that it may have. */
export declare const styleHash: string
