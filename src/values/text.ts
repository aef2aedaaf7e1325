/** True for a text that a database can store. None stores U+0000 or half a surrogate pair, so no text with one
 *  can be found. */
export const isSound = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()

/** True if a text has more than `most` characters. Each takes one or two units of its length. */
export const isLongerThan = (most: number, text: string): boolean =>
  text.length > most && [...text].length > most
