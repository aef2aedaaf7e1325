/** Marks each statement that reads rows by position. Our drivers return those as arrays, which takes half the
 *  time of objects; and the log of a database shows where the statement is from. */
export const statementMark = '/* quernel */ '

export const isMarked = (text: string): boolean => text.startsWith(statementMark)

/** Marks a statement whose result is not read. Our drivers may send it with the one that follows in its transaction, which fails with it. */
export const heldMark = '/* quernel, held */ '

export const isHeld = (text: string): boolean => text.startsWith(heldMark)
