/** Databases cannot hold U+0000 or half a surrogate pair, so no text with one can be found. */
export const isSound = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()
