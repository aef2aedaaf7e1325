// A few of the ratios that the page of benchmarks holds, for the first page.

import { table } from './tables.ts'

/** What a server is asked most, by the short names of that page. */
const questions = {
  W1: '100 rows of one table',
  W3: '100 articles with author, tags, and the last 5 comments with theirs',
  W6: 'one article with all of that',
  W4: '25 articles by what is in their author and comments, and their count',
}
const parties = ['quernel', 'kysely', 'drizzle', 'prisma']
const databases = ['SQLite', 'PostgreSQL']

/** The table, and under what it was measured. `page` is the text of `docs/benchmarks.md`. */
export function ratiosOf(page: string): string {
  const rows = databases.flatMap((database) => {
    const [head = [], ...measured] = rowsBelow(page, database)
    return Object.entries(questions).map(([question, words]) => [
      `${database}: ${words}`,
      ...parties.map((party) => cellOf(measured, party, head.indexOf(question))),
    ])
  })
  const versions = /^between articles and tags\. (Node .*\.)$/m.exec(page)?.[1]
  if (!versions) throw new Error('docs/benchmarks.md does not say under what it was measured.')
  const titles = ['time; SQL by hand takes 1', 'Quernel', 'Kysely', 'Drizzle', 'Prisma']
  return `${table(titles, rows)}\n${versions}`
}

/** The cells of the first table below a heading, without the line of dashes. */
function rowsBelow(page: string, heading: string): string[][] {
  const below = page.split(`\n## ${heading}\n`)[1] ?? ''
  const rows = /(?:^\|.*\n)+/m.exec(below)?.[0].trimEnd().split('\n') ?? []
  return rows.filter((row) => !row.includes('| ---')).map(cellsOf)
}

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

function cellOf(rows: readonly string[][], name: string, column: number): string {
  const cell = rows.find(([first]) => first === name)?.[column]
  if (!cell) throw new Error(`docs/benchmarks.md has nothing of "${name}" any more.`)
  return cell
}
