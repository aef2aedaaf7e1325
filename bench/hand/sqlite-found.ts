// W4 and W5 on SQLite: what is found, and what is counted.
import type { Forms } from '../contestant.ts'
import { many, names } from '../workloads.ts'
import { type FoundRow, foundItem, type GroupRow, groups, type ManyRow, manyOf } from './rows.ts'
import { arrays, type Database } from './sqlite-statements.ts'

const columns = 'a.id, a.title, a.published_at, a.views, u.id, u.name'
const authored = 'from articles a join authors u on u.id = a.author where instr(u.name, ?)'
const commented = 'exists (select 1 from comments c where c.article = a.id and instr(c.body, ?))'
const latest = 'order by a.published_at desc nulls first, a.id desc limit 25'

export function sqliteFound(database: Database): Forms {
  type CountedRow = [...FoundRow, number]
  const counted = arrays<CountedRow>(
    database,
    `select ${columns}, count(*) over () ${authored} and ${commented} ${latest}`,
  )
  const listed = arrays<FoundRow>(database, `select ${columns} ${authored} and ${commented} ${latest}`)
  const count = arrays<[number]>(database, `select count(*) ${authored} and ${commented}`)
  const chosen = arrays<CountedRow>(
    database,
    `with found as materialized (select a.id, a.published_at ${authored} and ${commented})
    select ${columns}, (select count(*) from found) from (select id from found a ${latest}) p
    join articles a on a.id = p.id join authors u on u.id = a.author ${latest}`,
  )
  const both = [names.author, names.comment]
  const answer = (rows: readonly CountedRow[]) => ({
    data: rows.map(([id, title, moment, views, by, name]) => foundItem([id, title, moment, views, by, name])),
    meta: { filter_count: rows[0]?.[6] ?? 0 },
  })
  return {
    W4: {
      'count over': () => answer(counted(...both)),
      'two statements': () => ({
        data: listed(...both).map(foundItem),
        meta: { filter_count: count(...both)[0]?.[0] },
      }),
      'keys first': () => answer(chosen(...both)),
    },
  }
}

export function sqliteGroups(database: Database): Forms {
  const grouped = (year: string) =>
    arrays<GroupRow>(
      database,
      `select ${year} as year, status, count(*), avg(views) from articles group by year, status`,
    )
  const [byFunction, bySlice] = [
    grouped(`cast(strftime('%Y', published_at) as integer)`),
    grouped('cast(substr(published_at, 1, 4) as integer)'),
  ]
  const manyByAuthor = arrays<ManyRow>(
    database,
    'select author, count(*), sum(views) from articles group by author having count(*) > ? order by author nulls last limit 100',
  )
  return {
    W5: {
      strftime: () => ({ data: groups(byFunction()) }),
      substr: () => ({ data: groups(bySlice()) }),
    },
    W5h: {
      having: () => ({ data: manyOf(manyByAuthor(many)) }),
    },
  }
}
