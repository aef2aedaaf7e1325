// Prefixes under which a storage holds the variants of files.

/** The prefix of all variants. */
export const allVariants = 'variants/'

/** The prefix of all variants of a file. */
export const variantsOf = (id: string): string => `${allVariants}${id}/`
