// A few of the ratios that the page of benchmarks holds, for the first page.

import { table } from './tables.ts'

/** What a server is asked most, by the short names of that page. */
const questions = {
  W1: '100 rows of one table',
  W3: '100 articles with author, tags, and the last 5 comments with theirs',
  W6: 'one article with all of that',
  W4: '25 articles by what is in their author and comments, and their count',
}
const parties = {
  quernel: 'Quernel',
  kysely: 'Kysely',
  drizzle: 'Drizzle',
  prisma: 'Prisma',
  postgraphile: 'PostGraphile',
}
const databases = ['SQLite', 'PostgreSQL']

/** The table, and under what it was measured. `page` is the text of `docs/benchmarks.md`. */
export function ratiosOf(page: string): string {
  const measured = databases.map((database) => ({ database, rows: rowsBelow(page, database) }))
  const shown = Object.entries(parties).filter(([party]) =>
    measured.some(({ rows }) => rows.some(([name]) => name === party)),
  )
  const lines = measured.flatMap(({ database, rows }) =>
    Object.entries(questions).map(([question, words]) => [
      `${database}: ${words}`,
      ...shown.map(([party]) => ratioOf(rows, party, question)),
    ]),
  )
  const head = ['the time that SQL by hand takes is 1', ...shown.map(([, title]) => title)]
  return `${table(head, lines)}\n${circumstancesOf(page)}`
}

/** The cells of the first table below a heading, its head first. */
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

/** A dash for who was not asked on that database. */
function ratioOf([head = [], ...rows]: readonly string[][], party: string, question: string): string {
  const at = head.indexOf(question)
  if (at < 0) throw new Error(`docs/benchmarks.md has no ${question} any more.`)
  return rows.find(([name]) => name === party)?.[at] ?? '—'
}

/** The end of the paragraph that says it: from the version of Node or the number of cores on. */
function circumstancesOf(page: string): string {
  const told = /(?:\d+ cores|Node \d+\.)(?:.|\n(?!\n))*\.(?=\n\n)/.exec(page)?.[0]
  if (!told) throw new Error('docs/benchmarks.md does not say under what it was measured.')
  return told.replace(/\s+/g, ' ')
}
