// Groups of families that behave alike. The words of the filter language use these groups instead of listing families.

export const numbers = ['integer', 'float', 'decimal'] as const
export const dated = ['date', 'dateTime', 'timestamp'] as const
export const timed = ['time', 'dateTime', 'timestamp'] as const
export const textual = ['text', 'csv'] as const
/** Families whose values can be sorted. */
export const ordered = [...numbers, ...textual, ...dated, 'time'] as const
/** Families whose values can be equal. */
export const distinct = [...ordered, 'uuid', 'boolean'] as const
export const comparable = [...distinct, 'binary'] as const
export const everything = [...comparable, 'json', 'hash', 'geometry'] as const
