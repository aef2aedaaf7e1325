import type { Pool, QueryConfig } from 'pg'
import { caller, change, memberOf, names, nextKey, one, turns, valuesOf, type Writer } from '../written.ts'
import { flight } from './flight.ts'

// The row is held before the membership is read: one statement alone would let through who ceased to be a member while it waited.
const lockOf = (strength: string) =>
  `select from written where id = $1 and ${memberOf('written.author', '$2')} for ${strength}`
const texts = {
  lockAuthor: `select from written_authors a where a.id = $1 and ${memberOf('a.id', '$2')} for key share`,
  create: `insert into written (${names})
    select $1, $2, $3, $4::timestamptz, $5::int, $6::int where ${memberOf('$6', '$7')} returning id`,
  lockChanged: lockOf('no key update'),
  change: `update written set title = $1, views = $2
    where id = $3 and ${memberOf('written.author', '$4')} returning id, title`,
  lockGone: lockOf('update'),
  remove: `delete from written where id = $1 and ${memberOf('written.author', '$2')}`,
} as const

const named = (name: keyof typeof texts, ...values: readonly unknown[]): QueryConfig => ({
  name: `related_${name}`,
  text: texts[name],
  values: [...values],
})

/** Begins, locks, writes with the rule and commits in one flight. */
export function relatedWriter(pool: Pool): Writer {
  const written = async (lock: QueryConfig, write: QueryConfig) =>
    (await flight(pool, ['begin', lock, write, 'commit']))[2]
  const inOneFlight = {
    W9a: async () => {
      const create = named('create', ...valuesOf(one), caller)
      return (await written(named('lockAuthor', one.author, caller), create))?.rows[0]
    },
    W9u: async () => {
      const id = nextKey()
      const { title, views } = change()
      const update = named('change', title, views, id, caller)
      return (await written(named('lockChanged', id, caller), update))?.rows[0]
    },
    W10d: async () => {
      const remove = named('remove', turns.gone, caller)
      return { deleted: (await written(named('lockGone', turns.gone, caller), remove))?.rowCount }
    },
  }
  return { name: 'hand, related', forms: { 'in one flight': inOneFlight } }
}
