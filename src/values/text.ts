/** Databases cannot hold U+0000 or half a surrogate pair, so no text with one can be found. */
export const isSound = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()

/** Whether a text has more characters than some. Each takes one or two units of its length. */
export const isLongerThan = (most: number, text: string): boolean =>
  text.length > most && [...text].length > most
