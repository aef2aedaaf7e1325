/** Marks each statement that reads rows by position. Our drivers return those as arrays, which takes half the
 *  time of objects; and the log of a database shows where the statement is from. */
export const statementMark = '/* quernel */ '

export const isMarked = (text: string): boolean => text.startsWith(statementMark)

/** Marks a statement whose result is not read. Our drivers may send it with the one that follows in its transaction, which fails with it. */
export const heldMark = '/* quernel, held */ '

export const isHeld = (text: string): boolean => text.startsWith(heldMark)

const [before, behind] = [' /* at most ', ' bytes */']

/** Returns a statement whose result may have so many bytes. Our driver of PostgreSQL counts them as they arrive. */
export const withBound = (text: string, bytes: number): string => `${text}${before}${bytes}${behind}`

/** Returns the bytes that the result of a statement of ours may have. */
export const boundOf = (text: string): number =>
  isMarked(text) && text.endsWith(behind)
    ? Number(text.slice(text.lastIndexOf(before) + before.length, -behind.length))
    : Number.POSITIVE_INFINITY
