// Which families behave alike. The words of the language name these groups instead of listing families each for itself.

export const numbers = ['integer', 'float', 'decimal'] as const
export const dated = ['date', 'dateTime', 'timestamp'] as const
export const timed = ['time', 'dateTime', 'timestamp'] as const
export const textual = ['text', 'csv'] as const
/** Their values come before and after one another. */
export const ordered = [...numbers, ...textual, ...dated, 'time'] as const
/** Two of their values are the same, or they are not. */
export const distinct = [...ordered, 'uuid', 'boolean'] as const
export const comparable = [...distinct, 'binary'] as const
export const everything = [...comparable, 'json', 'hash', 'geometry'] as const
