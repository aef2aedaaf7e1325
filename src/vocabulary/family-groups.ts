// Groups of families that behave alike. The words of the filter language use these groups instead of listing families.
import { type Family, familiesIn, familyNames } from '../types/families.ts'
import { isForeign } from '../types/other.ts'

export const numbers = familiesIn('number')
export const dated = familiesIn('dated')
export const timed = familiesIn('timed')
export const textual = familiesIn('textual')
export const ordered = familiesIn('ordered')
/** Families whose values can be compared for equality, so that they can be grouped. */
export const distinct = familiesIn('distinct')
export const comparable = familiesIn('comparable')
/** Families whose values the engine knows, and not only the database. */
export const known = familyNames.filter(
  (family): family is Exclude<Family, 'other' | 'opaque'> => !isForeign(family),
)
export const everything: readonly Family[] = familyNames
