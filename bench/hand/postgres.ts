import type { Party } from '../contestant.ts'
import { openPool } from '../postgres-data.ts'
import { postgresFlat, postgresFlatTexts } from './postgres-flat.ts'
import { postgresFound, postgresGroups } from './postgres-found.ts'
import { asking } from './postgres-statements.ts'
import { postgresOne, postgresOneTexts, postgresTree, postgresTreeTexts } from './postgres-tree.ts'
import { stringified } from './stringified.ts'

/** SQL by hand on pg, with every statement named, and moments as text. */
export function openHandPostgres(url: string): Party {
  const pool = openPool(url)
  const database = asking(pool)
  const objects = {
    ...postgresFlat(database),
    ...postgresTree(database),
    ...postgresFound(database),
    ...postgresGroups(database),
    ...postgresOne(database),
  }
  return {
    name: 'hand',
    objects,
    texts: { ...postgresFlatTexts(database), ...postgresTreeTexts(database), ...postgresOneTexts(database) },
    stringified: stringified(objects, {
      W1: 'arrays',
      W2: 'arrays',
      W3: 'batches',
      W6: 'looked up',
      W7: 'objects',
    }),
    close: () => pool.end(),
  }
}
