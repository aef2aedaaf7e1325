// W4 and W5 on PostgreSQL: what is found, and what is counted.
import type { Forms } from '../contestant.ts'
import { many, names } from '../workloads.ts'
import type { Database } from './postgres-statements.ts'
import { type FoundRow, foundItem, type GroupRow, groups, type ManyRow, manyOf } from './rows.ts'

const columns = 'a.id, a.title, a.published_at, a.views, u.id, u.name'
const authored = 'from articles a join authors u on u.id = a.author where strpos(u.name, $1) > 0'
const commented = 'exists (select from comments c where c.article = a.id and strpos(c.body, $2) > 0)'
const latest = 'order by a.published_at desc, a.id desc limit 25'

export function postgresFound({ arrays }: Database): Forms {
  const listed = arrays<FoundRow>(`select ${columns} ${authored} and ${commented} ${latest}`)
  const count = arrays<[number]>(`select count(*)::int ${authored} and ${commented}`)
  const counted = arrays<[...FoundRow, number]>(
    `select ${columns}, (count(*) over ())::int ${authored} and ${commented} ${latest}`,
  )
  // LIKE reads the needle as a pattern; ours has nothing in it that would have to be escaped.
  const like = (sql: string) =>
    sql
      .replace('strpos(u.name, $1) > 0', 'u.name like $1')
      .replace('strpos(c.body, $2) > 0', 'c.body like $2')
  const likeListed = arrays<FoundRow>(like(`select ${columns} ${authored} and ${commented} ${latest}`))
  const likeCount = arrays<[number]>(like(`select count(*)::int ${authored} and ${commented}`))
  const both = [names.author, names.comment]
  const patterns = both.map((needle) => `%${needle}%`)
  const answer = (rows: readonly FoundRow[], count: number | undefined) => ({
    data: rows.map(foundItem),
    meta: { filter_count: count },
  })
  return {
    W4: {
      'in parallel': async () => {
        const [rows, [first]] = await Promise.all([listed(...both), count(...both)])
        return answer(rows, first?.[0])
      },
      'like, in parallel': async () => {
        const [rows, [first]] = await Promise.all([likeListed(...patterns), likeCount(...patterns)])
        return answer(rows, first?.[0])
      },
      'count over': async () => {
        const rows = await counted(...both)
        return answer(
          rows.map(([id, title, moment, views, by, name]) => [id, title, moment, views, by, name]),
          rows[0]?.[6] ?? 0,
        )
      },
    },
  }
}

export function postgresGroups({ arrays }: Database): Forms {
  const grouped = (year: string) =>
    arrays<GroupRow>(
      `select ${year} as year, status, count(*)::int, avg(views)::float8 from articles group by year, status`,
    )
  const [extracted, parted] = [
    grouped(`extract(year from published_at at time zone 'UTC')::int`),
    grouped(`date_part('year', published_at at time zone 'UTC')`),
  ]
  const byAuthor =
    'select author, count(*)::int, sum(views)::float8 from articles group by author having count(*) > $1'
  const [manyByAuthor, allByAuthor] = [
    arrays<ManyRow>(`${byAuthor} order by author limit 100`),
    arrays<ManyRow>(byAuthor),
  ]
  const firstOf = (rows: readonly ManyRow[]) =>
    rows
      .toSorted(([one], [other]) => (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY))
      .slice(0, 100)
  return {
    W5: {
      extract: async () => ({ data: groups(await extracted()) }),
      date_part: async () => ({ data: groups(await parted()) }),
    },
    W5h: {
      having: async () => ({ data: manyOf(await manyByAuthor(many)) }),
      'sorted here': async () => ({ data: manyOf(firstOf(await allByAuthor(many))) }),
    },
  }
}
