// Prefixes under which a storage holds the variants of files.

export const allVariants = 'variants/'

export const variantsOf = (id: string): string => `${allVariants}${id}/`
